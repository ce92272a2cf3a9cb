"""Global switches that programs set at startup, and tf.compat.v1."""

_OFF = ["eager_execution", "v2_behavior", "v2_tensorshape", "tensor_equality"]

NAMES = {
    "executing_eagerly": "weir.lib.modes:executing_eagerly",
    "enable_eager_execution": "refused:",
    "enable_v2_behavior": "refused:",
    **{f"disable_{what}": "weir.lib.modes:off" for what in _OFF},
    "enable_resource_variables": "weir.lib.modes:enable_resource_variables",
    "disable_resource_variables": "weir.lib.modes:disable_resource_variables",
    "resource_variables_enabled": "resource_variables_enabled",
    "Module": "weir.lib.module:Module",
    "python.module.module.Module": "weir.lib.module:Module",
    "is_tensor": "weir.lib.modes:is_tensor",
    "contrib.framework.is_tensor": "weir.lib.modes:is_tensor",
    **{name: f"weir.lib.modes:{name}" for name in ("enable_control_flow_v2", "disable_control_flow_v2", "control_flow_v2_enabled")},
    "executing_eagerly_outside_functions": "weir.lib.modes:executing_eagerly",
    "VariableSynchronization": "weir.lib.modes:VariableSynchronization",
    "VariableAggregation": "weir.lib.modes:VariableAggregation",
    "convert_to_tensor_or_sparse_tensor": "weir.lib.modes:convert_to_tensor_or_sparse_tensor",
    "convert_to_tensor_or_indexed_slices": "weir.lib.modes:convert_to_tensor_or_indexed_slices",
    "compat.v1.*": "=",
}
