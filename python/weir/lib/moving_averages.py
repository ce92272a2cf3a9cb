"""tensorflow.python.training.moving_averages: averages of values with weights."""
from weir import _weir
from weir._names import find as _find
from weir.lib.graph_keys import GraphKeys as _GraphKeys


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """Returns the moving average of value * weight, divided by the moving average of the weight."""
    if collections is None:
        collections = [_GraphKeys.GLOBAL_VARIABLES]
    with _weir.variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        averages = []
        for part, initial in (("value_x_weight", value), ("weight", weight)):
            variable = _weir.get_variable(part, shape=initial.get_shape(), dtype=initial.dtype, initializer=_find("zeros_initializer")(),
                                          trainable=False, collections=collections)
            now = value * weight if part == "value_x_weight" else weight
            averages.append(_weir.assign_moving_average(variable, now, decay, zero_debias=False))
        return (_find("truediv") if truediv else _find("div"))(*averages, name=scope.name)
