"""Keras layers around one layer: TimeDistributed and Bidirectional."""
import weir as tf
from weir.lib.keras.base import Layer, flatten
from weir.lib.keras.recurrent import _flat_sizes


class Wrapper(Layer):
    """Base class of layers around one layer."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer._dtype = self.layer._dtype or self._dtype
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    @property  # type: ignore[misc]
    def activity_regularizer(self):
        return getattr(self.layer, "activity_regularizer", None)

    def get_config(self):
        return {**super().get_config(), "layer": {"class_name": type(self.layer).__name__, "config": self.layer.get_config()}}

    @classmethod
    def from_config(cls, config):
        from weir.lib.keras import models
        config = dict(config)
        return cls(models.layer_from_config(config.pop("layer")), **config)


class TimeDistributed(Wrapper):
    """Applies a layer to each time step."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `TimeDistributed` layer with a `Layer` instance. You passed: {layer}")
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape=None):
        shape = tf.TensorShape(input_shape)
        super().build(tf.TensorShape([shape[0].value, *shape.as_list()[2:]]))

    def call(self, inputs, training=None, mask=None):
        shape = inputs.shape.as_list()
        sizes = tf.shape(inputs)
        flat = tf.reshape(inputs, tf.concat([[-1], sizes[2:]], 0))
        flat.set_shape([None, *shape[2:]])
        keywords = {"training": training} if "training" in self.layer._call_parameters() and training is not None else {}
        if "mask" in self.layer._call_parameters() and mask is not None:
            keywords["mask"] = tf.reshape(mask, [-1])
        y = self.layer.call(flat, **keywords)
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(y))
        result = tf.reshape(y, tf.concat([sizes[:2], tf.shape(y)[1:]], 0))
        result.set_shape([*shape[:2], *y.shape.as_list()[1:]])
        return result

    def compute_mask(self, inputs, mask=None):
        return mask


class Bidirectional(Wrapper):
    """A recurrent layer and its copy that runs backwards."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `Bidirectional` layer with a `Layer` instance. You passed: {layer}")
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(f"Invalid merge mode. Merge mode should be one of {{\"sum\", \"mul\", \"ave\", \"concat\", None}}, got {merge_mode}")
        super().__init__(layer, **kwargs)
        self.forward_layer = self._copy(layer, layer.go_backwards, "forward_")
        self.backward_layer = self._copy(layer, not layer.go_backwards, "backward_") if backward_layer is None else backward_layer
        object.__setattr__(self, "_layers", [self.forward_layer, self.backward_layer])
        for one in (self.forward_layer, self.backward_layer):
            one.zero_output_for_mask = layer.return_sequences
        self.merge_mode, self.return_sequences, self.return_state = merge_mode, layer.return_sequences, layer.return_state
        self.supports_masking, self._initial_weights = True, weights
        if hasattr(layer, "_batch_input_shape"):
            self._batch_input_shape = layer._batch_input_shape

    @staticmethod
    def _copy(layer, go_backwards, prefix):
        config = layer.get_config()
        config.pop("batch_input_shape", None)
        config["name"], config["go_backwards"] = prefix + layer.name, go_backwards
        if "cell" in config:
            from weir.lib.keras import models
            config["cell"] = models.layer_from_config(config["cell"])
        return type(layer)(**config)

    @property  # type: ignore[misc]
    def activity_regularizer(self):
        return None

    def build(self, input_shape=None):
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer._dtype = layer._dtype or self._dtype
                with tf.name_scope(layer.name):
                    layer.build(input_shape)
                layer.built = True
        self.built = True

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        if constants is not None:
            raise NotImplementedError("constants of recurrent layers are not supported")
        if isinstance(inputs, (list, tuple)) and initial_state is None:
            inputs, initial_state = inputs[0], list(inputs[1:]) or None
        if initial_state is not None:
            kwargs["initial_state"] = flatten(initial_state)
        return super().__call__(inputs, **kwargs)

    def call(self, inputs, training=None, mask=None, initial_state=None):
        half = None if initial_state is None else len(initial_state) // 2
        parts = []
        for layer, states in ((self.forward_layer, None if half is None else initial_state[:half]),
                              (self.backward_layer, None if half is None else initial_state[half:])):
            with tf.name_scope(layer.name):
                parts.append(layer._run(inputs, mask, training, states))
        outputs = [part[0] if self.return_state else part for part in parts]
        if self.return_sequences:
            axis = 0 if getattr(self.layer, "time_major", False) else 1
            outputs[1] = tf.reverse(outputs[1], [axis])
        if self.merge_mode == "concat":
            result = tf.concat(outputs, -1)
        elif self.merge_mode is None:
            result = outputs
        else:
            result = outputs[0] * outputs[1] if self.merge_mode == "mul" else outputs[0] + outputs[1]
            result = result / 2 if self.merge_mode == "ave" else result
        if not self.return_state:
            return result
        states = parts[0][1:] + parts[1][1:]
        return [*(result if isinstance(result, list) else [result]), *states]

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, list) else mask
        kept = mask if self.return_sequences else None
        first = [kept, kept] if self.merge_mode is None else [kept]
        if self.return_state:
            return first + [None] * (2 * len(_flat_sizes(self.layer.cell.state_size)))
        return first if self.merge_mode is None else kept

    def reset_states(self):
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def get_config(self):
        return {**super().get_config(), "merge_mode": self.merge_mode}


