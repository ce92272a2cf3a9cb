"""tf.keras.Model and Sequential as containers of layers: they can be called, saved and printed, but not fitted."""
import json

import weir as tf
from weir.lib import checkpoint
from weir.lib.keras import objects, state
from weir.lib.keras.base import Input, InputLayer, Layer, _shape_tuples, flatten, map_structure, one_or_list

_REFUSED = {
    "compile": "choose a loss of tf.keras.losses and an optimizer of tf.train, and run the op of its minimize() in a tf.Session",
    "fit": "run a train op in a loop, in a tf.Session or a tf.train.MonitoredTrainingSession",
    "fit_generator": "run a train op in a loop; tf.data.Dataset.from_generator reads a generator",
    "train_on_batch": "run a train op in a tf.Session with a feed_dict",
    "test_on_batch": "run the loss in a tf.Session with a feed_dict",
    "evaluate": "run the ops of tf.metrics in a tf.Session",
    "evaluate_generator": "run the ops of tf.metrics in a tf.Session",
    "predict": "run the model's outputs in a tf.Session with a feed_dict",
    "predict_on_batch": "run the model's outputs in a tf.Session with a feed_dict",
    "predict_generator": "run the model's outputs in a tf.Session",
    "save": "save_weights(), tf.train.Saver or tf.saved_model.simple_save",
}


def _refused(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"Weir has Keras's layers and models, but not its training loop: Model.{name} is not available. "
                                  f"Instead: {_REFUSED[name]}")
    refuse.__name__ = name
    return refuse


class Network(Layer):
    """A layer that consists of layers. Built from Keras tensors, from a list of layers, or by a subclass with its own call()."""

    def __init__(self, inputs=None, outputs=None, name=None, trainable=True, dtype=None, **kwargs):
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_graph = False
        if inputs is not None:
            self._set_graph(inputs, outputs)

    # --- from Keras tensors
    def _set_graph(self, inputs, outputs):
        for tensor in flatten(inputs):
            found = state.history(tensor)
            if found is None or not isinstance(found[0].layer, InputLayer):
                raise ValueError(f"Input tensors to a Model must come from `tf.keras.Input`. Received: {tensor} (missing previous layer metadata).")
        for tensor in flatten(outputs):
            if not isinstance(tensor, tf.Tensor):
                raise ValueError(f"Output tensors of a Model must be the output of a TensorFlow `Layer`. Found: {tensor}")
        names = {"_graph_inputs": inputs, "_graph_outputs": outputs, "_nodes": _nodes_between(flatten(inputs), flatten(outputs)), "_is_graph": True}
        for name, value in names.items():
            object.__setattr__(self, name, value)
        layers = [state.history(tensor)[0].layer for tensor in flatten(inputs)]
        for node in _by_depth(self._nodes, flatten(outputs)):
            if not any(node.layer is layer for layer in layers):
                layers.append(node.layer)
        names = [layer.name for layer in layers]
        for repeated in names:
            if names.count(repeated) > 1:
                raise ValueError(f'The name "{repeated}" is used {names.count(repeated)} times in the model. All layer names should be unique.')
        object.__setattr__(self, "_layers", layers)
        self.built = True

    @property
    def layers(self):
        return list(self._layers)

    @property
    def weights(self):
        return self._nested("weights") + self._trainable_weights + self._non_trainable_weights

    @property
    def inputs(self):
        return flatten(self._graph_inputs) if self._is_graph else None

    @property
    def outputs(self):
        return flatten(self._graph_outputs) if self._is_graph else None

    @property
    def input(self):
        return one_or_list(self.inputs) if self._is_graph else super().input

    @property
    def output(self):
        return one_or_list(self.outputs) if self._is_graph else super().output

    @property
    def input_shape(self):
        return _shape_tuples(self.input)

    @property
    def output_shape(self):
        return _shape_tuples(self.output)

    @property
    def input_names(self):
        return [state.history(tensor)[0].layer.name for tensor in self.inputs]

    @property
    def output_names(self):
        return [state.history(tensor)[0].layer.name for tensor in self.outputs]

    @property
    def state_updates(self):
        return [update for layer in self._layers if layer.stateful for update in layer.updates]

    @property
    def stateful(self):
        return any(layer.stateful for layer in self.__dict__.get("_layers", ()))

    @stateful.setter
    def stateful(self, value):
        pass

    def reset_states(self):
        for layer in self._layers:
            if hasattr(layer, "reset_states") and layer.stateful:
                layer.reset_states()

    def get_layer(self, name=None, index=None):
        if index is not None:
            if index >= len(self._layers):
                raise ValueError(f"Was asked to retrieve layer at index {index} but model only has {len(self._layers)} layers.")
            return self._layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}.")

    def build(self, input_shape):
        if not self._is_graph and not self.built:
            shapes = [input_shape] if not isinstance(input_shape, list) else input_shape
            given = [tf.placeholder(tf.as_dtype(self._dtype or state.settings.floatx), tf.TensorShape(shape).as_list()) for shape in shapes]
            self.call(one_or_list(given))
        self.built = True

    def _build_for(self, inputs):
        if type(self).build is not Network.build:
            super()._build_for(inputs)
        self.built = True  # its layers build themselves when they are called

    def call(self, inputs, training=None, mask=None):
        if not self._is_graph:
            raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")
        given = flatten(inputs)
        if len(given) != len(self.inputs):
            raise ValueError(f"Model {self.name} expects {len(self.inputs)} inputs, but was called with {len(given)}")
        known = {old.name: new for old, new in zip(self.inputs, given)}
        if mask is not None:
            for tensor, one in zip(given, flatten(mask)):
                state.set_mask(tensor, one)
        for node in self._nodes:
            if isinstance(node.layer, InputLayer):
                continue

            def replaced(leaf):
                return known.get(leaf.name, leaf) if isinstance(leaf, tf.Tensor) else leaf

            args = _replaced(node.args, replaced)
            kwargs = _replaced(node.kwargs, replaced)
            outputs = node.layer(args[0], *args[1], **kwargs)
            for old, new in zip(flatten(node.outputs), flatten(outputs)):
                known[old.name] = new
        return map_structure(lambda tensor: known.get(tensor.name, tensor), self._graph_outputs)

    def compute_mask(self, inputs, mask=None):
        return None

    def _pass_mask(self, inputs, outputs, mask):
        pass  # the layers inside have passed their masks

    # --- printing
    def count_params(self):
        if not self.built:
            raise ValueError(f"This model {self.name} has not yet been built. Build the model first by calling build() or by calling it on a tensor.")
        return sum(weight.shape.num_elements() for weight in self.weights)

    def summary(self, line_length=None, positions=None, print_fn=None):
        from weir.lib.keras import summary
        summary.write(self, line_length or 65, positions or [0.45, 0.85, 1.0], print_fn or print)

    # --- weights in files
    def save_weights(self, filepath, overwrite=True, save_format=None):
        if save_format == "h5" or save_format is None and str(filepath).endswith((".h5", ".keras", ".hdf5")):
            raise NotImplementedError("Weir does not write HDF5 files. Instead: a path without .h5, for a TensorFlow checkpoint")
        from weir.lib.keras import backend
        session = backend.get_session()
        path = _ModelCheckpoint(self).write(str(filepath), session)
        checkpoint._write_state(path, [path])

    def load_weights(self, filepath, by_name=False):
        if by_name or str(filepath).endswith((".h5", ".keras", ".hdf5")):
            raise NotImplementedError("Weir does not read HDF5 files. Instead: a TensorFlow checkpoint, written by save_weights(path, save_format='tf')")
        from weir.lib.keras import backend
        status = _ModelCheckpoint(self).restore(str(filepath))
        status.run_restore_ops(backend.get_session())
        return status

    def _trackable_children(self):
        children = []
        if type(self).call is Network.call or isinstance(self, Sequential):
            number = 0
            for i, layer in enumerate(self._layers):
                if layer.weights:
                    children.append((f"layer_with_weights-{number}", layer))
                    number += 1
            children += [(f"layer-{i}", layer) for i, layer in enumerate(self._layers)]
            return children
        return super()._trackable_children()

    # --- configurations
    def get_config(self):
        if not self._is_graph:
            raise NotImplementedError("Models that define their own call() have no configuration")
        layers = []
        for layer in self._layers:
            layers.append({"name": layer.name, "class_name": type(layer).__name__, "config": layer.get_config()})
        return {"name": self.name, "layers": layers}

    def to_json(self, **kwargs):
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config(), "keras_version": "2.2.4-tf", "backend": "tensorflow"},
                          default=lambda value: value.tolist() if hasattr(value, "tolist") else getattr(value, "__name__", str(value)), **kwargs)


def _replaced(value, function):
    if isinstance(value, dict):
        return {key: _replaced(item, function) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_replaced(item, function) for item in value)
    return function(value)


def _nodes_between(inputs, outputs):
    """Returns the Nodes that compute outputs from inputs, in an order in which they can run."""
    order, done, stop = [], set(), {tensor.name for tensor in inputs}

    def visit(tensor):
        if not isinstance(tensor, tf.Tensor) or tensor.name in stop:
            return True
        found = state.history(tensor)
        if found is None:
            if _reaches(tensor, stop):
                raise ValueError(f"{tensor} is computed from the inputs of a Model by ops outside of layers. Put them into a tf.keras.layers.Lambda.")
            return False  # a constant or a variable
        node = found[0]
        if id(node) in done:
            return True
        if isinstance(node.layer, InputLayer):
            raise ValueError(f"Graph disconnected: cannot obtain value for tensor {tensor} at layer \"{node.layer.name}\".")
        done.add(id(node))
        for given in node.tensors:
            visit(given)
        order.append(node)
        return True

    for tensor in outputs:
        visit(tensor)
    return order


def _reaches(tensor, names):
    """Whether a tensor depends on one of the named tensors."""
    seen, todo = set(), [tensor]
    while todo:
        one = todo.pop()
        if one.name in names:
            return True
        if one.op.name not in seen:
            seen.add(one.op.name)
            todo += list(one.op.inputs)
    return False


def _by_depth(nodes, outputs):
    """Orders nodes like Keras's model.layers: by their distance from the outputs, the farthest first."""
    depth = {}
    for node in reversed(nodes):
        for given in node.keras_inputs:
            before = state.history(given)[0]
            depth[id(before)] = max(depth.get(id(before), 0), depth.get(id(node), 0) + 1)
    return sorted(nodes, key=lambda node: -depth.get(id(node), 0))


class _ModelCheckpoint(checkpoint.Checkpoint):
    """A checkpoint whose root is a model."""

    def __init__(self, model):
        super().__init__()
        self.__dict__["_model"] = model

    def _trackable_children(self):
        return self._model._trackable_children()

    def _make_save_counter(self):
        pass  # do not count calls of save_weights()


class Model(Network):
    """A network. Model(inputs, outputs) connects Keras tensors; subclasses implement call(inputs)."""

    def __init__(self, *args, **kwargs):
        if len(args) == 2 or len(args) == 1 and "outputs" in kwargs or "inputs" in kwargs:
            super().__init__(*args, **kwargs)
        else:
            super().__init__(None, None, *args, **kwargs)


for _name in _REFUSED:
    setattr(Model, _name, _refused(_name))


class Sequential(Model):
    """A list of layers. It is built when the first layer knows its input shape, or else when it is called."""

    def __init__(self, layers=None, name=None):
        super().__init__(name=name)
        self._stack, self._tensor, self._input = [], None, None
        self.supports_masking = True
        for layer in layers or []:
            self.add(layer)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    @property
    def layers(self):
        return [layer for layer in self._layers if not isinstance(layer, InputLayer)]

    def add(self, layer):
        if not isinstance(layer, Layer):
            history = state.history(layer)
            if history is None:
                raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
            layer = history[0].layer
        if any(layer.name == other.name for other in self._layers):
            raise ValueError(f"All layers added to a Sequential model should have unique names. Name \"{layer.name}\" is already the name of a layer in "
                             "this model.")
        if not self._layers:
            if isinstance(layer, InputLayer):
                self._layers.append(layer)
                self._input = self._tensor = layer._inbound_nodes[0].outputs
                return
            shape = getattr(layer, "_batch_input_shape", None) or _first_shape(layer)
            if shape is not None:
                self._input = self._tensor = Input(batch_shape=shape, dtype=layer.dtype, name=layer.name + "_input")
        self._layers.append(layer)
        if self._tensor is not None:
            self._tensor = layer(self._tensor)
            self._connect()

    def _connect(self):
        object.__setattr__(self, "_graph_inputs", self._input)
        object.__setattr__(self, "_graph_outputs", self._tensor)
        object.__setattr__(self, "_nodes", _nodes_between(flatten(self._input), flatten(self._tensor)))
        self._is_graph = self.built = True

    def pop(self):
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        self._layers.pop()
        if self._is_graph:
            if not self.layers:
                self._is_graph = self.built = False
                self._tensor = self._input
            else:
                self._tensor = self.layers[-1]._inbound_nodes[-1].outputs
                self._connect()

    def call(self, inputs, training=None, mask=None):
        if self._is_graph:
            return super().call(inputs, training, mask)
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def get_config(self):
        return {"name": self.name, "layers": [{"class_name": type(layer).__name__, "config": layer.get_config()} for layer in self.layers]}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        entries = config if isinstance(config, list) else config["layers"]
        with objects.CustomObjectScope(custom_objects or {}):
            return cls([layer_from_config(entry) for entry in entries], name=None if isinstance(config, list) else config.get("name"))


def _first_shape(layer):
    """The input shape of a model or a wrapper that is the first layer of a Sequential."""
    while layer is not None:
        if getattr(layer, "_batch_input_shape", None) is not None:
            return layer._batch_input_shape
        if getattr(layer, "_is_graph", False):
            return layer.input_shape
        layer = layer.layers[0] if getattr(layer, "layers", None) else getattr(layer, "layer", None)
    return None


def layer_from_config(config, custom_objects=None):
    from weir.lib.keras import layers
    return objects.deserialize_keras_object(config, layers.classes(), custom_objects, "layer")


def model_from_config(config, custom_objects=None):
    if isinstance(config, list):
        raise TypeError("`model_from_config` expects a dictionary, not a list. Maybe you meant to use `Sequential.from_config(config)`?")
    if config.get("class_name") != "Sequential":
        raise NotImplementedError("only Sequential models can be made from a configuration. Instead: call the function that makes the model again")
    return Sequential.from_config(config["config"], custom_objects)


def model_from_json(json_string, custom_objects=None):
    return model_from_config(json.loads(json_string), custom_objects)


def clone_model(model, input_tensors=None, clone_function=None):
    """Returns a model with the same layers and new variables."""
    made = clone_function or (lambda layer: type(layer).from_config(layer.get_config()))
    if isinstance(model, Sequential):
        return Sequential([made(layer) for layer in model.layers], name=model.name)
    if not model._is_graph:
        raise ValueError(f"Expected `model` argument to be a functional `Model` instance, but got a subclass model instead: {model}")
    copies = {}
    inputs = list(input_tensors) if input_tensors is not None else [Input(batch_shape=t.shape.as_list(), dtype=t.dtype.name, name=state.history(t)[0].layer.name)
                                                                   for t in model.inputs]
    known = {old.name: new for old, new in zip(model.inputs, inputs)}
    for node in model._nodes:
        layer = copies.setdefault(id(node.layer), None) or made(node.layer)
        copies[id(node.layer)] = layer
        args = _replaced(node.args, lambda leaf: known.get(leaf.name, leaf) if isinstance(leaf, tf.Tensor) else leaf)
        kwargs = _replaced(node.kwargs, lambda leaf: known.get(leaf.name, leaf) if isinstance(leaf, tf.Tensor) else leaf)
        for old, new in zip(flatten(node.outputs), flatten(layer(args[0], *args[1], **kwargs))):
            known[old.name] = new
    return Model(one_or_list(inputs), map_structure(lambda t: known[t.name], model._graph_outputs), name=model.name)

