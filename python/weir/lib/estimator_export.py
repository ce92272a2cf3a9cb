"""tf.estimator.export: the outputs that a server returns, and the inputs that it accepts."""
import collections as _collections

from weir import _weir
from weir.lib import saved_model as _saved_model

DEFAULT_KEY = _saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def _is_value(value):
    return isinstance(value, _weir.Tensor) or hasattr(value, "dense_shape")


class ExportOutput:
    """Base class of the outputs of a model. as_signature_def returns the signature with these inputs."""

    _method = ""

    def as_signature_def(self, receiver_tensors):
        raise NotImplementedError(f"{type(self).__name__} defines no as_signature_def.")


def _only_input(receiver_tensors, kind):
    if len(receiver_tensors) != 1:
        raise ValueError(f"{kind} input must be a single string Tensor; got {receiver_tensors}")
    examples = next(iter(receiver_tensors.values()))
    if examples.dtype.base_dtype.name != "string":
        raise ValueError(f"{kind} input must be a single string Tensor; got {receiver_tensors}")
    return examples


class ClassificationOutput(ExportOutput):
    """Scores (floats) or classes (strings), or both: [batch, classes]."""

    def __init__(self, scores=None, classes=None):
        if scores is not None and not (isinstance(scores, _weir.Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (isinstance(classes, _weir.Tensor) and classes.dtype.base_dtype.name == "string"):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("Cannot create a ClassificationOutput with empty arguments. At least one of `scores` and `classes` must be "
                             "defined.")
        self._scores, self._classes = scores, classes

    scores = property(lambda self: self._scores)
    classes = property(lambda self: self._classes)

    def as_signature_def(self, receiver_tensors):
        return _saved_model.classification_signature_def(_only_input(receiver_tensors, "Classification"), self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """One float per example."""

    def __init__(self, value):
        if not (isinstance(value, _weir.Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    value = property(lambda self: self._value)

    def as_signature_def(self, receiver_tensors):
        return _saved_model.regression_signature_def(_only_input(receiver_tensors, "Regression"), self.value)


class PredictOutput(ExportOutput):
    """Any tensors: one, or a dict of them."""

    def __init__(self, outputs):
        if not isinstance(outputs, dict):
            outputs = {"output": outputs}
        for value in outputs.values():
            if not _is_value(value):
                raise ValueError(f"Prediction output value must be a Tensor; got {value}.")
        self._outputs = outputs

    outputs = property(lambda self: self._outputs)

    def as_signature_def(self, receiver_tensors):
        return _saved_model.predict_signature_def(receiver_tensors, self.outputs)


def outputs_of_spec(export_outputs, predictions):
    """Checks the export outputs of a model for prediction, and adds the default one."""
    if export_outputs is None:
        export_outputs = {DEFAULT_KEY: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {export_outputs}.")
    for value in export_outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(f"Values in `export_outputs` must be ExportOutput objects, received: {export_outputs}.")
    if len(export_outputs) == 1:
        (value,) = export_outputs.values()
        export_outputs = {**export_outputs, DEFAULT_KEY: value}
    elif DEFAULT_KEY not in export_outputs:
        raise ValueError("Multiple `export_outputs` were provided, but none of them are specified as the default. Use"
                         "`tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY` to specify a default.")
    return export_outputs


def signatures_of(export_outputs, receiver):
    """Returns the signatures that fit the inputs of the receiver: other outputs are left out with a log line."""
    from weir.lib import log
    groups = [(None, receiver.receiver_tensors), *(receiver.receiver_tensors_alternatives or {}).items()]
    signatures, excluded = {}, {}
    for group, tensors in groups:
        for key, output in export_outputs.items():
            name = key if group is None else group if key == DEFAULT_KEY else f"{group}:{key}"
            try:
                signatures[name] = output.as_signature_def(dict(tensors))
            except ValueError as error:
                excluded[name] = str(error)
    for name, error in excluded.items():  # type: ignore[misc]
        log.info("The signature '%s' is left out: %s", name, error)
    if not signatures:
        log.warning("Export includes no signatures!")
    return signatures


# --- receivers -------------------------------------------------------------------------------------------------------------
def _checked_features(features):
    if features is None:
        raise ValueError("features must be defined.")
    if not isinstance(features, dict):
        features = {"feature": features}
    for name, tensor in features.items():
        if not (isinstance(name, (str, int)) or isinstance(name, tuple)):
            raise ValueError(f"feature keys must be strings or ints: {name}.")
        if not _is_value(tensor):
            raise ValueError(f"feature {name} must be a Tensor, SparseTensor, or RaggedTensor.")
    return features


def _checked_receivers(tensors):
    if tensors is None:
        raise ValueError("receiver_tensors must be defined.")
    if not isinstance(tensors, dict):
        tensors = {"input": tensors}
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise ValueError(f"receiver_tensors keys must be strings: {name}.")
        if not _is_value(tensor):
            raise ValueError(f"receiver_tensor {name} must be a Tensor, SparseTensor, or RaggedTensor.")
    return tensors


def _checked_alternatives(alternatives):
    if alternatives is None:
        return None
    if not isinstance(alternatives, dict):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")
    return {name: _checked_receivers(tensors) for name, tensors in alternatives.items()}


class ServingInputReceiver(_collections.namedtuple("ServingInputReceiver",
                                                   ["features", "receiver_tensors", "receiver_tensors_alternatives"])):
    """The features of a model that serves, and the tensors that a request feeds."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        return super().__new__(cls, _checked_features(features), _checked_receivers(receiver_tensors),
                               _checked_alternatives(receiver_tensors_alternatives))


class TensorServingInputReceiver(_collections.namedtuple("TensorServingInputReceiver",
                                                         ["features", "receiver_tensors", "receiver_tensors_alternatives"])):
    """The same for a model whose features are one tensor."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if features is None:
            raise ValueError("features must be defined.")
        if not _is_value(features):
            raise ValueError("feature must be a Tensor, SparseTensor, or RaggedTensor.")
        return super().__new__(cls, features, _checked_receivers(receiver_tensors), _checked_alternatives(receiver_tensors_alternatives))


class SupervisedInputReceiver(_collections.namedtuple("SupervisedInputReceiver", ["features", "labels", "receiver_tensors"])):
    """Features and labels, and the tensors that a request feeds."""

    receiver_tensors_alternatives = None

    def __new__(cls, features, labels, receiver_tensors):
        for value in (features, labels):
            if isinstance(value, dict):
                _checked_features(value)
        return super().__new__(cls, features, labels, _checked_receivers(receiver_tensors))


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Returns a function that takes serialized Examples and parses their features."""
    import weir as tf

    def serving_input_receiver_fn():
        examples = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(tf.io.parse_example(examples, feature_spec), {"examples": examples})
    return serving_input_receiver_fn


def _placeholder_like(name, value, default_batch_size):
    import weir as tf
    shape = value.get_shape().as_list()
    if shape:
        shape[0] = default_batch_size
    return tf.placeholder(value.dtype, shape, name=name)


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Returns a function that takes the features themselves."""
    def serving_input_receiver_fn():
        tensors = {name: _placeholder_like(name, value, default_batch_size) for name, value in features.items()}
        return ServingInputReceiver(tensors, dict(tensors))
    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
    """Returns a function that takes features and labels."""
    groups = [value if isinstance(value, dict) else {name: value} for name, value in (("input", features), ("label", labels))]
    shared = set(groups[0]) & set(groups[1])
    if shared:
        raise ValueError(f"Features and labels must have distinct keys. Found overlapping keys: {shared}")

    def supervised_input_receiver_fn():
        made = [{name: _placeholder_like(name, value, default_batch_size) for name, value in group.items()} for group in groups]
        receivers = {**made[0], **made[1]}
        values = [group if isinstance(given, dict) else next(iter(group.values())) for group, given in zip(made, (features, labels))]
        return SupervisedInputReceiver(values[0], values[1], receivers)
    return supervised_input_receiver_fn
