"""Switches that programs turn at their start, and tf.compat.v1."""

_OFF = ["eager_execution", "v2_behavior", "control_flow_v2", "resource_variables", "v2_tensorshape", "tensor_equality"]

NAMES = {
    "executing_eagerly": "weir.lib.modes:executing_eagerly",
    "enable_eager_execution": "weir.lib.modes:enable_eager_execution",
    **{f"disable_{what}": "weir.lib.modes:off" for what in _OFF},
    "is_tensor": "weir.lib.modes:is_tensor",
    "contrib.framework.is_tensor": "weir.lib.modes:is_tensor",
    "compat.v1.*": "=",
}
