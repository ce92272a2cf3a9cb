"""Variables, their scopes and their initializers."""

_INITIALIZERS = {
    "zeros_initializer": "Zeros", "ones_initializer": "Ones", "constant_initializer": "Constant",
    "random_uniform_initializer": "RandomUniform", "random_normal_initializer": "RandomNormal",
    "truncated_normal_initializer": "TruncatedNormal", "uniform_unit_scaling_initializer": "UniformUnitScaling",
    "variance_scaling_initializer": "VarianceScaling", "orthogonal_initializer": "Orthogonal",
    "glorot_uniform_initializer": "GlorotUniform", "glorot_normal_initializer": "GlorotNormal",
}

NAMES = {
    "Variable": "Variable",
    "VariableV1": "Variable",
    "VariableScope": "VariableScope",
    "PartitionedVariable": "PartitionedVariable",
    "AUTO_REUSE": "AUTO_REUSE",
    "get_variable": "(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None, caching_device=None, "
                    "partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None, synchronization!=None, "
                    "aggregation!=None) get_variable",
    "get_local_variable": "(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, collections=None, caching_device=None, "
                    "partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None, synchronization!=None, "
                    "aggregation!=None) get_local_variable",
    "get_variable_scope": "get_variable_scope",
    "variable_scope": "variable_scope",
    "variable_op_scope": "(values, name_or_scope, default_name=None, initializer=None, regularizer=None, caching_device=None, partitioner=None, "
                         "custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None) variable_scope",
    "global_variables": "global_variables",
    "local_variables": "local_variables",
    "trainable_variables": "trainable_variables",
    "model_variables": "model_variables",
    "moving_average_variables": "moving_average_variables",
    "all_variables": "global_variables",
    "global_variables_initializer": "global_variables_initializer",
    "local_variables_initializer": "local_variables_initializer",
    "variables_initializer": "variables_initializer",
    "initialize_all_variables": "global_variables_initializer",
    "initialize_local_variables": "local_variables_initializer",
    "initialize_variables": "variables_initializer",
    "report_uninitialized_variables": "report_uninitialized_variables",
    "is_variable_initialized": "is_variable_initialized",
    "assert_variables_initialized": "assert_variables_initialized",
    "group": "group",
    # initializers
    **{name: f"weir.lib.initializers:{cls}" for name, cls in _INITIALIZERS.items()},
    **{f"initializers.{name.removesuffix('_initializer')}": f"weir.lib.initializers:{cls}" for name, cls in _INITIALIZERS.items()},
    "initializers.identity": "weir.lib.initializers:Identity",
    "initializers.he_normal": "weir.lib.initializers:he_normal",
    "initializers.he_uniform": "weir.lib.initializers:he_uniform",
    "initializers.lecun_normal": "weir.lib.initializers:lecun_normal",
    "initializers.lecun_uniform": "weir.lib.initializers:lecun_uniform",
    "contrib.layers.xavier_initializer": "weir.lib.initializers:xavier_initializer",
    "contrib.layers.xavier_initializer_conv2d": "weir.lib.initializers:xavier_initializer",
    "contrib.layers.variance_scaling_initializer": "weir.lib.initializers:variance_scaling_initializer",
    # partitioners
    "fixed_size_partitioner": "fixed_size_partitioner",
    "variable_axis_size_partitioner": "variable_axis_size_partitioner",
    "min_max_variable_partitioner": "min_max_variable_partitioner",
    "no_regularizer": "weir.lib.modes:no_regularizer",
    "make_template": "weir.lib.template:make_template",
    "initializers.global_variables": "global_variables_initializer",
    "initializers.local_variables": "local_variables_initializer",
    "initializers.variables": "variables_initializer",
    # updates by function
    "assign": "assign",
    "assign_add": "assign_add",
    "assign_sub": "assign_sub",
    "count_up_to": "count_up_to",
    **{f"scatter_{name}": f"scatter_{name}" for name in ["update", "add", "sub", "mul", "div", "min", "max", "nd_update", "nd_add", "nd_sub"]},
}
