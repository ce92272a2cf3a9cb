"""tf.contrib.slim.nets.inception: the functions of all versions."""
from weir.lib.slim_nets.inception_v1 import inception_v1, inception_v1_arg_scope, inception_v1_base
from weir.lib.slim_nets.inception_v2 import inception_v2, inception_v2_arg_scope, inception_v2_base
from weir.lib.slim_nets.inception_v3 import inception_v3, inception_v3_arg_scope, inception_v3_base
