"""tf.saved_model.load_v2: the signatures of a saved model as functions of tensors, in the default graph."""
import os

from weir import _weir
from weir.lib import gfile, saved_model
from weir.proto import message_class


def _read(export_dir, tags):
    """Returns the meta graph with these tags. They may be None if there is one meta graph."""
    binary, text = (os.path.join(export_dir, name) for name in (saved_model.SAVED_MODEL_FILENAME_PB, saved_model.SAVED_MODEL_FILENAME_PBTXT))
    if gfile.exists(binary):
        model = message_class("SavedModel").FromString(gfile.read_file_to_string(binary, binary_mode=True))
    elif gfile.exists(text):
        model = saved_model.model_from_text(gfile.read_file_to_string(text))
    else:
        raise OSError(f"SavedModel file does not exist at: {export_dir}/{{{saved_model.SAVED_MODEL_FILENAME_PBTXT}|"
                      f"{saved_model.SAVED_MODEL_FILENAME_PB}}}")
    known = [set(graph.meta_info_def.tags) for graph in model.meta_graphs]
    if tags is None:
        if len(known) != 1:
            raise ValueError(f"Importing a SavedModel with tf.saved_model.load requires a 'tags=' argument if there is more than one MetaGraph. "
                             f"Got 'tags=None', but there are {len(known)} MetaGraphs in the SavedModel with tag sets {known}.")
        return model.meta_graphs[0]
    wanted = {tags} if isinstance(tags, str) else set(tags)
    if wanted not in known:
        raise RuntimeError(f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel, with available tags '{known}'.")
    return model.meta_graphs[known.index(wanted)]


def _names_of(info):
    """The names of the tensors that an input or output consists of."""
    if info.WhichOneof("encoding") == "coo_sparse":
        sparse = info.coo_sparse
        return [sparse.indices_tensor_name, sparse.values_tensor_name, sparse.dense_shape_tensor_name]
    return [info.name]


def _state_in(graph_def, graph, scope):
    """Maps the outputs of nodes that hold state, such as variables and tables, to those of the imported graph."""
    found = {}
    for node in graph_def.node:
        if not node.input:
            op = graph.get_operation_by_name(f"{scope}/{node.name}")
            if op.op_def.is_stateful and not op._traits.is_placeholder:
                found.update({f"{node.name}:{i}": output for i, output in enumerate(op.outputs)})
    return found


class Signature:
    """A function of a saved model: takes tensors by the names of its inputs, and returns a dict of tensors."""

    def __init__(self, model, definition):
        import weir as tf
        self._model, self._definition = model, definition
        outputs = [name for info in definition.outputs.values() for name in _names_of(info)]
        self._graph_def = tf.graph_util.extract_sub_graph(model._graph_def, list(dict.fromkeys(name.partition(":")[0] for name in outputs)))
        self._state = _state_in(self._graph_def, model.graph, model._scope)

    def _tensors(self, infos):
        return {key: saved_model.get_tensor_from_tensor_info(info, self._model.graph, self._model._scope) for key, info in infos.items()}

    inputs = property(lambda self: list(self._tensors(self._definition.inputs).values()))
    outputs = property(lambda self: list(self._tensors(self._definition.outputs).values()))

    @property
    def structured_outputs(self):
        return self._tensors(self._definition.outputs)

    @property
    def structured_input_signature(self):
        import weir as tf
        return (), {key: tf.TensorSpec(tensor.shape, tensor.dtype, key) for key, tensor in self._tensors(self._definition.inputs).items()}

    def __call__(self, *args, **kwargs):
        import weir as tf
        wanted = self._definition.inputs
        if args:
            if len(args) > 1 or len(wanted) != 1 or kwargs:
                raise TypeError(f"a signature takes its inputs by their names: {sorted(wanted)}")
            kwargs = {next(iter(wanted)): args[0]}
        if set(kwargs) != set(wanted):
            raise TypeError(f"a signature with the inputs {sorted(wanted)} got {sorted(kwargs)}")
        mapped = dict(self._state)
        for key, info in wanted.items():
            value = kwargs[key]
            names = _names_of(info)
            parts = [value.indices, value.values, value.dense_shape] if len(names) == 3 else [tf.convert_to_tensor(value, tf.as_dtype(info.dtype))]
            mapped.update(zip(names, parts))
        used = {node.name for node in self._graph_def.node}
        mapped = {name: tensor for name, tensor in mapped.items() if name.partition(":")[0] in used}
        names = [name for info in self._definition.outputs.values() for name in _names_of(info)]
        found = iter(tf.import_graph_def(self._graph_def, input_map=mapped, return_elements=names, name="signature"))
        return {key: tf.SparseTensor(next(found), next(found), next(found)) if len(_names_of(info)) == 3 else next(found)
                for key, info in self._definition.outputs.items()}


class LoadedModel:
    """A saved model in a graph. tf.tables_initializer() restores its variables and tables."""

    def __init__(self, export_dir, meta_graph):
        import weir as tf
        self.graph = _weir.get_default_graph()
        self._graph_def = meta_graph.graph_def
        saver = meta_graph.saver_def
        mapped, self.asset_paths = {}, []
        for packed in meta_graph.collection_def["saved_model_assets"].any_list.value:
            asset = message_class("AssetFileDef").FromString(packed.value)
            self.asset_paths.append(tf.constant(os.path.join(export_dir, "assets", asset.filename)))
            mapped[asset.tensor_info.name] = self.asset_paths[-1]
        if saver.filename_tensor_name:
            mapped[saver.filename_tensor_name] = tf.constant(os.path.join(export_dir, "variables", "variables"))
        with tf.name_scope("saved_model") as scope:
            self._scope = scope[:-1]
        tf.import_graph_def(self._graph_def, input_map=mapped, name=scope)
        steps = [saver.restore_op_name] if saver.restore_op_name else []
        for key in ("saved_model_main_op", "legacy_init_op"):
            steps += list(meta_graph.collection_def[key].node_list.value) if key in meta_graph.collection_def else []
        self.initializer = tf.group(*[self.graph.get_operation_by_name(f"{self._scope}/{name.partition(':')[0]}") for name in steps])
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, self.initializer)
        self.variables = []
        self.signatures = {key: Signature(self, definition) for key, definition in meta_graph.signature_def.items()
                           if not key.startswith("__saved_model")}


def load_v2(export_dir, tags=None):
    return LoadedModel(export_dir, _read(export_dir, tags))
