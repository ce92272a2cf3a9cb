"""Modules below tensorflow.python that programs import for a few names, and small parts of tf.contrib."""

# module below tensorflow.python: the prefix of the public names that it provides
_MODULES = {
    "ops.variables": "", "ops.state_ops": "", "ops.io_ops": "", "ops.template": "", "ops.standard_ops": "", "ops.gradients": "",
    "ops.gradients_impl": "", "ops.partitioned_variables": "", "ops.resource_variable_ops": "", "ops.variable_scope": "",
    "ops.init_ops": "", "framework.sparse_tensor": "", "framework.importer": "", "training.learning_rate_decay": "train.",
    "training.summary_io": "train.", "training.gradient_descent": "train.", "training.adam": "train.", "training.momentum": "train.",
    "training.adagrad": "train.", "training.rmsprop": "train.", "training.ftrl": "train.", "summary.summary": "summary.",
    "summary.writer.writer": "summary.", "summary.writer.writer_cache": "summary.",
}
_ARG_SCOPE = ["arg_scope", "add_arg_scope", "has_arg_scope", "current_arg_scope", "arg_scoped_arguments"]

NAMES = {
    **{f"python.{module}.*": f"={root}" for module, root in _MODULES.items()},
    "python.training.moving_averages.ExponentialMovingAverage": "=train.ExponentialMovingAverage",
    "python.client.device_lib": "weir.lib.device_lib:",
    **{f"contrib.framework.{name}": f"weir.lib.arg_scope:{name}" for name in _ARG_SCOPE},
    **{f"contrib.framework.python.ops.arg_scope.{name}": f"weir.lib.arg_scope:{name}" for name in _ARG_SCOPE},
    "contrib.training.HParams": "weir.lib.hparams:HParams",
    "contrib.training.python.training.hparam.HParams": "weir.lib.hparams:HParams",
}
