"""tf.version: the TensorFlow version that Weir is compatible with."""
VERSION = "1.15.5"
GIT_VERSION = "v1.15.5"
COMPILER_VERSION = "c++20"
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
