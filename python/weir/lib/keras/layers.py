"""All layers of tf.keras.layers, by name."""
from weir.lib.keras import base, conv, core, merge, recurrent, wrappers

_ALIASES = {"Convolution1D": "Conv1D", "Convolution2D": "Conv2D", "Convolution3D": "Conv3D", "Convolution2DTranspose": "Conv2DTranspose",
            "Convolution3DTranspose": "Conv3DTranspose", "SeparableConvolution1D": "SeparableConv1D", "SeparableConvolution2D": "SeparableConv2D",
            **{f"{new}{n}D": f"{old}{n}D" for n in (1, 2, 3) for new, old in (
                ("MaxPool", "MaxPooling"), ("AvgPool", "AveragePooling"), ("GlobalMaxPool", "GlobalMaxPooling"),
                ("GlobalAvgPool", "GlobalAveragePooling"))}}


def classes():
    """Returns {name: class} of all layers."""
    from weir.lib.keras import models
    found = {name: value for module in (base, conv, core, merge, recurrent, wrappers, models) for name, value in vars(module).items()
             if isinstance(value, type) and issubclass(value, base.Layer) and not name.startswith("_")}
    return {**found, **{new: found[old] for new, old in _ALIASES.items()}}


def serialize(layer):
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def deserialize(config, custom_objects=None):
    from weir.lib.keras import models
    return models.layer_from_config(config, custom_objects)
