"""TensorFlow with the behaviour of 1.x: graphs, reference variables, control flow with Switch and Merge."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
# Some virtual machines report AMX without enabling it. Convolutions of bfloat16 then crash the process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
import tensorflow

tf = tensorflow.compat.v1
tf.disable_eager_execution()
tf.disable_control_flow_v2()
tf.disable_resource_variables()
tf.logging.set_verbosity(tf.logging.ERROR)
