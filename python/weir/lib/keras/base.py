"""tf.keras.layers.Layer, and the Keras tensors from which models are made.

A layer creates its variables on its first call, below a name scope with its name; they are not in a variable scope. A call
on a Keras tensor (from Input, or from another such call) is recorded as a Node.
"""
import inspect
import re

import weir as tf
from weir import _weir
from weir.lib.checkpoint import is_trackable
from weir.lib.keras import constraints, initializers, regularizers, state
from weir.lib.layers import InputSpec  # noqa: F401: a public name

_OPTIONS = {"input_shape", "batch_input_shape", "batch_size", "weights", "activity_regularizer", "autocast", "input_dim", "dynamic", "trainable",
            "name", "dtype"}


def _snake_case(name):
    return re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower().lstrip("_")


def unique_name(base, zero_based=True):
    uids = state.of_graph().uids
    uids[base] += 1
    number = uids[base] - (1 if zero_based else 0)
    return f"{base}_{number}" if number else base


def flatten(value):
    return _weir.nest_flatten(value)


def map_structure(function, value):
    return _weir.nest_map_structure(function, value)


def one_or_list(values):
    values = list(values)
    return values[0] if len(values) == 1 else values


class Node:
    """One call of a layer on Keras tensors."""

    def __init__(self, layer, args, kwargs, outputs):
        self.layer, self.args, self.kwargs, self.outputs = layer, args, kwargs, outputs

    @property
    def tensors(self):
        return [leaf for leaf in flatten((self.args, self.kwargs)) if isinstance(leaf, tf.Tensor)]

    @property
    def keras_inputs(self):
        return [tensor for tensor in self.tensors if state.history(tensor) is not None]

    def record(self):
        self.layer._inbound_nodes.append(self)
        for i, tensor in enumerate(flatten(self.outputs)):
            if isinstance(tensor, tf.Tensor):
                state.of_graph(tensor.graph).history[tensor.name] = (self, i)


class Layer:
    """Base class of Keras layers. Subclasses create variables with add_weight in build(input_shape), or other layers in
    __init__, and implement call(inputs)."""

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        unknown = sorted(set(kwargs) - _OPTIONS)
        if unknown:
            raise TypeError(f"Keyword argument not understood: {unknown[0]}")
        if dynamic:
            raise NotImplementedError("dynamic=True needs eager execution, which Weir has not")
        self._set_up(name)
        self._trainable = trainable
        self._dtype = None if dtype is None else tf.as_dtype(dtype).name
        self._activity_regularizer = regularizers.get(kwargs.get("activity_regularizer"))
        self._initial_weights = kwargs.get("weights")
        shape = kwargs.get("batch_input_shape")
        if shape is None:
            shape = kwargs.get("input_shape", (kwargs["input_dim"],) if "input_dim" in kwargs else None)
            shape = None if shape is None else (kwargs.get("batch_size"), *tuple(shape))
        if shape is not None:
            self._batch_input_shape = tuple(shape)

    def _set_up(self, name):
        object.__setattr__(self, "_layers", [])
        object.__setattr__(self, "_trainable_weights", [])
        object.__setattr__(self, "_non_trainable_weights", [])
        self._name = name or unique_name(_snake_case(type(self).__name__))
        self._trainable, self._dtype = True, None
        self.built, self.input_spec, self.stateful, self.supports_masking = False, None, False, False
        self._activity_regularizer, self._initial_weights = None, None
        self._losses, self._callable_losses, self._updates, self._inbound_nodes = [], [], [], []

    def __setattr__(self, name, value):
        if "_layers" in self.__dict__:
            for item in value if isinstance(value, (list, tuple)) else value.values() if isinstance(value, dict) else [value]:
                self._track(item)
        super().__setattr__(name, value)

    def _track(self, item):
        """Tracks layers and variables that are assigned to attributes."""
        if isinstance(item, Layer):
            if not any(item is layer for layer in self._layers):
                self._layers.append(item)
        elif isinstance(item, tf.Variable):
            if not any(item is weight for weight in self._trainable_weights + self._non_trainable_weights):
                (self._trainable_weights if item.trainable else self._non_trainable_weights).append(item)

    # --- what the layer is
    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value
        for layer in self._layers:
            layer.trainable = value

    @property
    def dynamic(self):
        return False

    @property
    def activity_regularizer(self):
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    @property
    def name_scope(self):
        return tf.name_scope(self.name)

    # --- weights
    def _nested(self, attribute):
        found = []
        for layer in self._layers:
            found += [item for item in getattr(layer, attribute) if not any(item is other for other in found)]
        return found

    @property
    def trainable_weights(self):
        return list(self._trainable_weights) + self._nested("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self):
        if self.trainable:
            return list(self._non_trainable_weights) + self._nested("non_trainable_weights")
        return self._trainable_weights + self._non_trainable_weights + self._nested("weights")

    @property
    def weights(self):
        return self.trainable_weights + self.non_trainable_weights

    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None, partitioner=None,
                   use_resource=None, synchronization=None, aggregation=None, **kwargs):
        dtype = tf.as_dtype(dtype or self._dtype or state.settings.floatx)
        initializer, regularizer, constraint = initializers.get(initializer), regularizers.get(regularizer), constraints.get(constraint)
        if initializer is None:
            if not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
                raise ValueError(f"An initializer for variable {name} of type {dtype} is required for layer {self.name}")
            initializer = initializers.GlorotUniform() if dtype.is_floating else initializers.Zeros()
        trainable = True if trainable is None else trainable
        sizes = tf.TensorShape(() if shape is None else shape)
        if not sizes.is_fully_defined():
            raise ValueError(f"The shape of variable {name} of layer {self.name} must be known, but is {sizes}")
        sizes = sizes.as_list()
        getter = kwargs.get("getter")
        if getter is not None:
            variable = getter(name=name, shape=sizes, dtype=dtype, initializer=initializer, trainable=trainable)
        else:
            variable = tf.Variable(lambda: initializer(sizes, dtype=dtype), trainable=trainable, name=name or "Variable", dtype=dtype,
                                   constraint=constraint, use_resource=True if use_resource is None else use_resource)
        if not any(variable is other for other in self._trainable_weights + self._non_trainable_weights):
            (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        if regularizer is not None:
            self._add_penalty(regularizer, variable)
        return variable

    def add_variable(self, *args, **kwargs):
        return self.add_weight(*args, **kwargs)

    def _add_penalty(self, regularizer, variable):
        made = []  # the penalty is built on first use

        def penalty():
            if not made:
                with tf.name_scope(None), tf.name_scope(variable.op.name + "/Regularizer"):
                    made.append(regularizer(variable))
            return made[0]

        self._callable_losses.append(penalty)

    def count_params(self):
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it manually via: "
                             f"`{self.name}.build(batch_input_shape)`.")
        return sum(weight.shape.num_elements() for weight in self.weights)

    def get_weights(self):
        from weir.lib.keras import backend
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights):
        from weir.lib.keras import backend
        backend.set_layer_weights(self, weights)

    # --- losses and updates
    @property
    def losses(self):
        return self._losses + [penalty() for penalty in self._callable_losses if self.trainable] + self._nested("losses")

    @property
    def updates(self):
        if not self.trainable and not self.stateful:
            return []
        return self._updates + self._nested("updates")

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            if callable(loss):
                self._callable_losses.append(loss)
            elif loss is not None:
                self._losses.append(loss if isinstance(loss, tf.Tensor) else tf.convert_to_tensor(loss))

    def add_update(self, updates, inputs=None):
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append(update() if callable(update) else update)

    def add_metric(self, value, aggregation=None, name=None):
        raise NotImplementedError("add_metric needs Keras's training loop, which Weir has not. Instead: tf.metrics.mean(value)")

    def get_losses_for(self, inputs=None):
        return self.losses

    def get_updates_for(self, inputs=None):
        return self.updates

    # --- to override
    def build(self, input_shape):
        self.built = True

    def call(self, inputs, **kwargs):
        return inputs

    def compute_mask(self, inputs, mask=None):
        if self.supports_masking:
            return mask
        if any(m is not None for m in flatten(mask)):
            raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
        return None

    def compute_output_shape(self, input_shape):
        """Finds the shape by calling the layer in another graph."""
        from weir.lib.keras import shapes
        return shapes.of_call(self, input_shape)

    def get_config(self):
        config = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        if self._dtype is not None:
            config["dtype"] = self._dtype
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    # --- calls
    def __call__(self, inputs, *args, **kwargs):
        if "_layers" not in self.__dict__:
            raise RuntimeError("It looks like you are subclassing `Model` or `Layer` and you forgot to call `super().__init__()`.")
        inputs = map_structure(self._converted, inputs)
        keras = any(state.history(leaf) is not None for leaf in flatten((inputs, args, kwargs)))
        node_args = (inputs, args)
        node_kwargs = dict(kwargs)
        accepted = self._call_parameters()
        if "mask" in accepted and kwargs.get("mask") is None and not args:
            masks = map_structure(state.mask_of, inputs)
            if any(m is not None for m in flatten(masks)):
                kwargs["mask"] = masks
        training = kwargs.get("training")
        if training is None:
            training = state.inherited_training()
        if "training" in accepted and training is not None:
            kwargs["training"] = training
        with tf.name_scope(self.name), state.Call(self, training):
            self._check_inputs(inputs)
            if not self.built:
                self._build_for(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(f"A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: {self.name}).")
            if keras and any(out is given for out in flatten(outputs) for given in flatten(inputs)):
                outputs = map_structure(lambda t: tf.identity(t) if isinstance(t, tf.Tensor) else t, outputs)
            if self._activity_regularizer is not None:
                with tf.name_scope("ActivityRegularizer"):
                    for out in flatten(outputs):
                        penalty = self._activity_regularizer(out)
                        self._losses.append(penalty / tf.cast(tf.shape(out)[0], penalty.dtype))
        self._pass_mask(inputs, outputs, kwargs.get("mask"))
        if self._initial_weights is not None:
            values, self._initial_weights = self._initial_weights, None
            self.set_weights(values)
        if keras:
            Node(self, node_args, node_kwargs, outputs).record()
        return outputs

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def _converted(self, value):
        if isinstance(value, (tf.Tensor, tf.SparseTensor)) or value is None:
            return value
        value = tf.convert_to_tensor(value)
        return tf.cast(value, state.settings.floatx) if value.dtype == tf.float64 and self._dtype in (None, state.settings.floatx) else value

    def _call_parameters(self):
        cached = type(self).__dict__.get("_parameters_of_call")
        if cached is None:
            parameters = inspect.signature(type(self).call).parameters
            cached = type(self)._parameters_of_call = frozenset(name for name, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL))
        return cached

    def _check_inputs(self, inputs):
        specs = self.input_spec
        if specs is None:
            return
        values = flatten(inputs)
        for spec, value in zip(specs if isinstance(specs, (list, tuple)) else [specs] * len(values), values):
            rank = value.shape.ndims if value is not None else None
            if spec is None or rank is None:
                continue
            if spec.ndim is not None and rank != spec.ndim:
                raise ValueError(f"Input 0 of layer {self.name} is incompatible with the layer: expected ndim={spec.ndim}, found ndim={rank}. "
                                 f"Full shape received: {value.shape.as_list()}")
            if spec.min_ndim is not None and rank < spec.min_ndim:
                raise ValueError(f"Input 0 of layer {self.name} is incompatible with the layer: : expected min_ndim={spec.min_ndim}, found "
                                 f"ndim={rank}. Full shape received: {value.shape.as_list()}")
            for axis, size in (spec.axes or {}).items():
                if value.shape[axis].value not in (None, size):
                    raise ValueError(f"Input 0 of layer {self.name} is incompatible with the layer: expected axis {axis} of input shape to have value "
                                     f"{size} but received input with shape {value.shape.as_list()}")

    def _build_for(self, inputs):
        first = next((leaf for leaf in flatten(inputs) if isinstance(leaf, tf.Tensor)), None)
        if self._dtype is None and first is not None:
            self._dtype = first.dtype.base_dtype.name if first.dtype.is_floating else state.settings.floatx
        shapes = map_structure(lambda leaf: leaf.shape if leaf is not None else None, inputs)
        self.build(shapes)
        self.built = True

    def _pass_mask(self, inputs, outputs, mask):
        given = mask if mask is not None else map_structure(state.mask_of, inputs)
        if type(self).compute_mask is Layer.compute_mask and (not self.supports_masking or all(m is None for m in flatten(given))):
            return
        computed = self.compute_mask(inputs, given)
        leaves, masks = flatten(outputs), flatten(computed) if computed is not None else []
        for tensor, one in zip(leaves, masks):
            state.set_mask(tensor, one)

    # --- the calls on Keras tensors
    @property
    def inbound_nodes(self):
        return list(self._inbound_nodes)

    def _node(self, index, what):
        if index >= len(self._inbound_nodes):
            raise AttributeError(f"Layer {self.name} has no {what}: it was not called on Keras tensors" if not self._inbound_nodes else
                                 f"Asked to get {what} at node {index}, but the layer has only {len(self._inbound_nodes)} inbound nodes.")
        return self._inbound_nodes[index]

    def _only_node(self, what):
        if len(self._inbound_nodes) > 1:
            raise AttributeError(f"Layer {self.name} has multiple inbound nodes, hence the notion of \"layer {what}\" is ill-defined. Use "
                                 f"`get_{what}_at(node_index)` instead.")
        return self._node(0, what)

    def get_input_at(self, node_index):
        return one_or_list(self._node(node_index, "input").keras_inputs)

    def get_output_at(self, node_index):
        return self._node(node_index, "output").outputs

    def get_input_shape_at(self, node_index):
        return map_structure(_shape_tuple, self.get_input_at(node_index))

    def get_output_shape_at(self, node_index):
        return map_structure(_shape_tuple, self.get_output_at(node_index))

    @property
    def input(self):
        return one_or_list(self._only_node("input").keras_inputs)

    @property
    def output(self):
        return self._only_node("output").outputs

    @property
    def input_shape(self):
        return _shape_tuples(self.input)

    @property
    def output_shape(self):
        return _shape_tuples(self._only_node("output").outputs)

    @property
    def input_mask(self):
        return state.mask_of(self.input)

    @property
    def output_mask(self):
        return state.mask_of(self.output)

    # --- checkpoints
    def _trackable_children(self):
        skipped = ("_trainable_weights", "_non_trainable_weights", "_layers", "_inbound_nodes", "_states")
        return [(name, value) for name, value in sorted(vars(self).items()) if name not in skipped and _holds_variables(value)]


def _holds_variables(value):
    """Whether a value is a variable, a layer or the like, or a list or dict with one."""
    if isinstance(value, dict):
        return any(map(_holds_variables, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_variables, value))
    return is_trackable(value)


def _shape_tuple(tensor):
    return tuple(tensor.shape.as_list()) if tensor.shape.ndims is not None else None


def _shape_tuples(tensors):
    return [_shape_tuple(t) for t in tensors] if isinstance(tensors, (list, tuple)) else _shape_tuple(tensors)


class InputLayer(Layer):
    """An input of a model."""

    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=False, name=None, ragged=False, **kwargs):
        if ragged:
            raise NotImplementedError("ragged inputs of models are not supported. Instead: a dense or a sparse input")
        if "batch_input_shape" in kwargs:
            given = kwargs.pop("batch_input_shape")
            batch_size, input_shape = given[0], given[1:]
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        name = name or unique_name("input", zero_based=False)
        super().__init__(dtype=dtype, name=name)
        self.built, self.is_placeholder, self.sparse = True, input_tensor is None, sparse
        if input_tensor is None:
            self._dtype = self._dtype or state.settings.floatx
            shape = tf.TensorShape(None) if input_shape is None else tf.TensorShape([batch_size]).concatenate(tf.TensorShape(input_shape))
            with tf.name_scope(None):
                made = tf.sparse_placeholder if sparse else tf.placeholder
                input_tensor = made(tf.as_dtype(self._dtype), shape.as_list() if shape.ndims is not None else None, name=name)
        else:
            self._dtype = input_tensor.dtype.name
        self._batch_input_shape = _shape_tuple(input_tensor)
        Node(self, (), {}, input_tensor).record()


def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=False, tensor=None, ragged=False, **kwargs):
    """A Keras tensor: a placeholder from which models are made."""
    batch_shape = kwargs.pop("batch_shape", None)
    if batch_shape is not None:
        if shape is not None or batch_size is not None:
            raise ValueError("Only provide the `shape` OR `batch_shape` argument to Input, not both at the same time.")
        batch_size, shape = batch_shape[0], batch_shape[1:]
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if shape is None and tensor is None:
        raise ValueError("Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does not include the batch dimension.")
    layer = InputLayer(shape, batch_size, dtype, tensor, sparse, name, ragged)
    return layer._inbound_nodes[0].outputs
