"""The settings of layers and cells: what get_config returns, and their conversion from names and configurations."""
import inspect

# Parameters of constructors that are not settings.
_OTHERS = {"self", "name", "trainable", "dtype", "_reuse", "renorm", "renorm_clipping", "renorm_momentum", "fused", "virtual_batch_size",
           "adjustment", "dropout_state_filter_visitor", "residual_fn"}


def _serialized(name, value, no_activation):
    if name == "activation":
        return no_activation if value is None else getattr(value, "__name__", type(value).__name__)
    if value is None or not name.endswith(("initializer", "regularizer", "constraint", "cell")):
        return value
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", type(value).__name__)


def settings_of(layer, base, no_activation="linear"):
    """Returns the arguments of the constructor of the built-in class of a layer, as JSON values. `base` is the base class of such
    layers, which users derive from."""
    cls = next((cls for cls in type(layer).__mro__ if "__init__" in vars(cls) and cls.__module__.startswith("weir.")), base)
    parameters = inspect.signature(cls.__init__).parameters
    if cls is base or "cells" in parameters:
        return {}
    settings = {}
    for name, parameter in parameters.items():
        if name in _OTHERS or parameter.kind is parameter.VAR_KEYWORD:
            continue
        value = getattr(layer, name) if hasattr(layer, name) else getattr(layer, "_" + name, parameter.default)
        settings[name] = _serialized(name, value, no_activation)
    return settings


def activation(value):
    """Returns an activation function, given itself or its name."""
    if isinstance(value, str):
        from weir.lib.keras import activations
        return activations.get(value)
    return value


def initializer(value):
    """Returns an initializer, given itself, its name or its configuration."""
    if value in ("zeros", "ones") if isinstance(value, str) else False:
        from weir.lib import initializers
        return {"zeros": initializers.Zeros, "ones": initializers.Ones}[value]()
    if isinstance(value, (str, dict)):
        from weir.lib.keras import initializers as keras_initializers
        return keras_initializers.get(value)
    return value


def regularizer(value):
    if isinstance(value, (str, dict)):
        from weir.lib.keras import regularizers
        return regularizers.get(value)
    return value


def constraint(value):
    if isinstance(value, (str, dict)):
        from weir.lib.keras import constraints
        return constraints.get(value)
    return value
