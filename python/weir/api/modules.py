"""Modules below tensorflow.python that programs import for a few names, and small parts of tf.contrib."""

# module below tensorflow.python: the prefix of the public names that it provides
_MODULES = {
    "ops.variables": "", "ops.state_ops": "", "ops.io_ops": "", "ops.template": "", "ops.standard_ops": "", "ops.gradients": "",
    "ops.gradients_impl": "", "ops.partitioned_variables": "", "ops.resource_variable_ops": "", "ops.variable_scope": "",
    "ops.init_ops": "", "framework.sparse_tensor": "", "framework.importer": "", "training.learning_rate_decay": "train.",
    "training.summary_io": "train.", "training.gradient_descent": "train.", "training.adam": "train.", "training.momentum": "train.",
    "training.adagrad": "train.", "training.rmsprop": "train.", "training.ftrl": "train.", "summary.summary": "summary.",
    "summary.writer.writer": "summary.", "summary.writer.writer_cache": "summary.",
    "ops.losses.losses_impl": "losses.", "ops.losses.util": "losses.", "ops.image_ops_impl": "image.", "ops.sets_impl": "sets.",
    "ops.gen_array_ops": "raw_ops.", "ops.gen_math_ops": "raw_ops.", "ops.gen_nn_ops": "raw_ops.", "ops.gen_state_ops": "raw_ops.",
    "training.queue_runner_impl": "train.", "training.training": "train.", "training.ftrl": "train.", "training.adadelta": "train.",
    "training.warm_starting_util": "train.", "training.server_lib": "train.", "training.checkpoint_management": "train.",
    "framework.tensor_spec": "", "framework.indexed_slices": "", "framework.type_spec": "",
    "data.ops.dataset_ops": "data.", "data.ops.iterator_ops": "data.", "data.ops.readers": "data.", "feature_column.feature_column": "feature_column.",
}
_LAYER_UTILS = ["normalize_data_format", "convert_data_format", "normalize_padding", "normalize_tuple", "conv_output_length",
                "deconv_output_length", "constant_value", "smart_cond"]
_ARG_SCOPE = ["arg_scope", "add_arg_scope", "has_arg_scope", "current_arg_scope", "arg_scoped_arguments"]

NAMES = {
    **{f"python.{module}.*": f"={root}" for module, root in _MODULES.items()},
    "python.training.moving_averages.ExponentialMovingAverage": "=train.ExponentialMovingAverage",
    "python.training.moving_averages.assign_moving_average": "assign_moving_average",
    "python.client.device_lib": "weir.lib.device_lib:",
    "python.eager.context": "weir.lib.eager_context:",
    "python.platform.resource_loader": "weir.lib.resource_loader:",
    "python.tools.inspect_checkpoint": "weir.lib.inspect_checkpoint:",
    "python.util.deprecation": "weir.lib.deprecation:",
    **{f"python.util.tf_export.{name}": "weir.lib.deprecation:tf_export" for name in ("tf_export", "keras_export", "estimator_export")},
    **{f"python.layers.utils.{name}": f"weir.lib.layer_utils:{name}" for name in _LAYER_UTILS},
    "python.framework.smart_cond.smart_cond": "weir.lib.layer_utils:smart_cond",
    "python.framework.smart_cond.smart_constant_value": "weir.lib.layer_utils:constant_value",
    "python.ops.resource_variable_ops.ResourceVariable": "weir.lib.variables:ResourceVariable",
    "examples.tutorials.mnist.mnist": "weir.lib.mnist_model:",
    "distribute.Server": "=train.Server",
    **{f"contrib.framework.{name}": f"weir.lib.arg_scope:{name}" for name in _ARG_SCOPE},
    **{f"contrib.framework.python.ops.arg_scope.{name}": f"weir.lib.arg_scope:{name}" for name in _ARG_SCOPE},
    "contrib.training.HParams": "weir.lib.hparams:HParams",
    "contrib.training.python.training.hparam.HParams": "weir.lib.hparams:HParams",
}
