"""Global switches that programs set at startup, and tf.compat.v1."""

_OFF = ["eager_execution", "v2_behavior", "control_flow_v2", "resource_variables", "v2_tensorshape", "tensor_equality"]

NAMES = {
    "executing_eagerly": "weir.lib.modes:executing_eagerly",
    "enable_eager_execution": "weir.lib.modes:enable_eager_execution",
    **{f"disable_{what}": "weir.lib.modes:off" for what in _OFF},
    "is_tensor": "weir.lib.modes:is_tensor",
    "contrib.framework.is_tensor": "weir.lib.modes:is_tensor",
    "control_flow_v2_enabled": "weir.lib.modes:executing_eagerly",
    "executing_eagerly_outside_functions": "weir.lib.modes:executing_eagerly",
    "VariableSynchronization": "weir.lib.modes:VariableSynchronization",
    "VariableAggregation": "weir.lib.modes:VariableAggregation",
    "convert_to_tensor_or_sparse_tensor": "weir.lib.modes:convert_to_tensor_or_sparse_tensor",
    "convert_to_tensor_or_indexed_slices": "weir.lib.modes:convert_to_tensor_or_indexed_slices",
    "compat.v1.*": "=",
}
