"""tf.saved_model: constants, signatures, building and loading."""
import os

from weir import _weir
from weir.lib import gfile
from weir.proto import message_class

ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"

SERVING = "serve"
TRAINING = "train"
GPU = "gpu"
TPU = "tpu"

DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"

_FLOAT, _STRING = 1, 7  # DataType values


class Builder(_weir.SavedModelWriter):
    """Writes a saved model. Call add_meta_graph_and_variables, then add_meta_graph for further graphs, then save."""

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False, saver=None,
                                     train_op=None):
        self._add(sess, list(tags), signature_def_map or {}, assets_collection or [], main_op, legacy_init_op, train_op,
                  clear_devices, strip_default_attrs, saver)

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None, clear_devices=False,
                       main_op=None, strip_default_attrs=False, saver=None, train_op=None):
        self._add(None, list(tags), signature_def_map or {}, assets_collection or [], main_op, legacy_init_op, train_op,
                  clear_devices, strip_default_attrs, saver)


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Imports the meta graph with these tags into the session's graph, and restores it. Returns its MetaGraphDef."""
    del saver_kwargs  # these only affect how a saver reads, not what it reads
    return _weir.load_saved_model(sess, set([tags] if isinstance(tags, str) else tags), export_dir, import_scope)


def contains_saved_model(export_dir):
    return any(gfile.exists(os.path.join(export_dir, name))
               for name in (SAVED_MODEL_FILENAME_PBTXT, SAVED_MODEL_FILENAME_PB))


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Saves a model with the tag "serve" and one prediction signature."""
    builder = Builder(export_dir)
    builder.add_meta_graph_and_variables(
        session, [SERVING], {DEFAULT_SERVING_SIGNATURE_DEF_KEY: predict_signature_def(inputs, outputs)},
        assets_collection=_weir.get_default_graph().get_collection("asset_filepaths"), main_op=legacy_init_op,
        clear_devices=True)
    builder.save()


def main_op():
    """Returns an op that initializes variables, local variables and tables."""
    import weir as tf
    return tf.group(tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer())


def model_from_text(text):
    from google.protobuf import text_format  # type: ignore
    return text_format.Parse(text, message_class("SavedModel")())


def build_tensor_info(tensor):
    info = message_class("TensorInfo")(dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.get_shape().as_proto())
    if hasattr(tensor, "dense_shape"):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    import weir as tf
    graph = graph or tf.get_default_graph()

    def find(name):
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)
    if tensor_info.WhichOneof("encoding") == "name":
        return find(tensor_info.name)
    if tensor_info.WhichOneof("encoding") == "coo_sparse":
        parts = tensor_info.coo_sparse
        return tf.SparseTensor(find(parts.indices_tensor_name), find(parts.values_tensor_name),
                               find(parts.dense_shape_tensor_name))
    raise ValueError(f"Invalid TensorInfo.encoding: {tensor_info.WhichOneof('encoding')}")


def build_signature_def(inputs=None, outputs=None, method_name=None):
    signature = message_class("SignatureDef")(method_name=method_name or "")
    for key, info in (inputs or {}).items():
        signature.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        signature.outputs[key].CopyFrom(info)
    return signature


def _infos(tensors):
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def _expect_type(what, info, dtype, name):
    if info.dtype != dtype:
        raise ValueError(f"{what} tensors must be of type {name}. Found tensors with type {info.dtype}.")


def predict_signature_def(inputs, outputs):
    for what, tensors in (("inputs", inputs), ("outputs", outputs)):
        if not tensors:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), PREDICT_METHOD_NAME)


def regression_signature_def(examples, predictions):
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    inputs, outputs = _infos({REGRESS_INPUTS: examples}), _infos({REGRESS_OUTPUTS: predictions})
    _expect_type("Regression input", inputs[REGRESS_INPUTS], _STRING, "string")
    _expect_type("Regression output", outputs[REGRESS_OUTPUTS], _FLOAT, "float")
    return build_signature_def(inputs, outputs, REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    inputs, outputs = _infos({CLASSIFY_INPUTS: examples}), {}
    _expect_type("Classification input", inputs[CLASSIFY_INPUTS], _STRING, "string")
    if classes is not None:
        outputs[CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
        _expect_type("Classification classes", outputs[CLASSIFY_OUTPUT_CLASSES], _STRING, "string")
    if scores is not None:
        outputs[CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
        _expect_type("Classification scores", outputs[CLASSIFY_OUTPUT_SCORES], _FLOAT, "float")
    return build_signature_def(inputs, outputs, CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def):
    if signature_def is None:
        return False

    def has(infos, key, dtype):
        return key in infos and infos[key].dtype == dtype
    inputs, outputs, method = signature_def.inputs, signature_def.outputs, signature_def.method_name
    if method == PREDICT_METHOD_NAME:
        return len(inputs) > 0 and len(outputs) > 0
    if not has(inputs, "inputs", _STRING):
        return False
    if method == REGRESS_METHOD_NAME:
        return has(outputs, REGRESS_OUTPUTS, _FLOAT)
    if method == CLASSIFY_METHOD_NAME:
        types = {CLASSIFY_OUTPUT_CLASSES: _STRING, CLASSIFY_OUTPUT_SCORES: _FLOAT}
        return len(outputs) > 0 and all(key in types and has(outputs, key, types[key]) for key in outputs)
    return False


def main_op_with_restore(restore_op_name):
    """Returns an op that initializes variables and tables and then runs an op. It must be an operation: a name is a TypeError."""
    with _weir.control_dependencies([main_op()]):
        return _weir.group(restore_op_name)
