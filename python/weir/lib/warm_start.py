"""tf.train.warm_start: initializes variables with the values of a checkpoint."""
import re

from weir import _weir


def warm_start(ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
    """vars_to_warm_start is a pattern for trainable variables, a list of patterns for all variables, a list of variables, or None."""
    if var_name_to_vocab_info:
        raise NotImplementedError("warm starts with another vocabulary are not supported: rows of a variable cannot be reordered. Use the old "
                                  "vocabulary file, and add new words at its end")
    only_trainable, wanted = True, vars_to_warm_start
    if wanted is None:
        return
    if isinstance(wanted, (list, tuple)):
        only_trainable = False
        if all(isinstance(item, str) for item in wanted):
            patterns = [re.compile(item) for item in wanted]
        elif all(hasattr(item, "op") and hasattr(item, "initializer") for item in wanted):
            patterns = [re.compile(re.escape(item.op.name) + "$") for item in wanted]
        else:
            raise ValueError("If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  "
                             f"Given types are {[type(item) for item in wanted]}")
    elif isinstance(wanted, str):
        patterns = [re.compile(wanted)]
    else:
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}")
    _weir.warm_start_variables(ckpt_to_initialize_from, lambda name: any(pattern.match(name) for pattern in patterns), only_trainable,
                               dict(var_name_to_prev_var_name or {}))
