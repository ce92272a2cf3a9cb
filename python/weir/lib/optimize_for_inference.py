"""tensorflow.python.tools.optimize_for_inference_lib: a frozen graph without nodes for training and batch normalization."""
import numpy as np

from weir import _weir
from weir.lib import graph_util, log
from weir.lib.strip_unused import strip_unused
from weir.proto import message_class

# The inputs of the ops, and the attribute of epsilon.
_NORMS = {
    "BatchNormWithGlobalNormalization": (("conv", "mean", "variance", "beta", "gamma"), "variance_epsilon"),
    "FusedBatchNorm": (("conv", "gamma", "beta", "mean", "variance"), "epsilon"),
    "FusedBatchNormV2": (("conv", "gamma", "beta", "mean", "variance"), "epsilon"),
    "FusedBatchNormV3": (("conv", "gamma", "beta", "mean", "variance"), "epsilon"),
}
_CONVOLUTIONS, _SUMS = ("Conv2D", "DepthwiseConv2dNative"), ("BiasAdd", "Add", "AddV2")


def node_name_from_input(node_name):
    """Returns the node of an input: "^a" and "a:1" are of the node "a"."""
    name = node_name.removeprefix("^")
    before, _, port = name.rpartition(":")
    return before if before and port.isdigit() else name


def ensure_graph_is_valid(graph_def):
    """Raises ValueError if two nodes have the same name or an input does not exist."""
    nodes = _nodes_of(graph_def)
    for node in graph_def.node:
        for name in node.input:
            if node_name_from_input(name) not in nodes:
                raise ValueError(f"Input for {node.name} not found: {name}")


def _nodes_of(graph_def):
    nodes = {}
    for node in graph_def.node:
        if node.name in nodes:
            raise ValueError(f"Duplicate node names detected for {node.name}")
        nodes[node.name] = node
    return nodes


def values_from_const(node_def):
    if node_def.op != "Const":
        raise ValueError(f"Can not extract constant value from a node that is not Const. Got:\n{node_def}")
    return _weir.make_ndarray(node_def.attr["value"].tensor)


def scale_after_normalization(node):
    return node.op != "BatchNormWithGlobalNormalization" or node.attr["scale_after_normalization"].b


class _Fold:
    """A batch normalization of a convolution with constant weights: what is needed to fold it. Raises ValueError if it is something else."""

    def __init__(self, node, nodes):
        def find(name):
            return nodes[node_name_from_input(name)]
        order, epsilon = _NORMS[node.op]
        parts = {what: find(name) for what, name in zip(order, node.input)}
        self.node, self.conv, self.sum, bias = node, parts["conv"], None, None
        if self.conv.op in _SUMS:
            self.sum = self.conv
            inputs = [find(name) for name in self.sum.input]
            self.conv, bias = inputs if inputs[0].op in _CONVOLUTIONS else inputs[::-1]
        if self.conv.op not in _CONVOLUTIONS:
            raise ValueError(f"its input {self.conv.name} is no convolution")
        self.weights = find(self.conv.input[1])
        weights = self._constant(self.weights)
        self.channels = weights.shape[3] if self.conv.op == "Conv2D" else weights.shape[2] * weights.shape[3]
        mean, variance, beta, gamma = (self._vector(parts[what]) for what in ("mean", "variance", "beta", "gamma"))
        if bias is not None:
            mean = mean - self._constant(bias)
        scale = 1.0 / np.sqrt(variance + np.float32(node.attr[epsilon].f)) * (gamma if scale_after_normalization(node) else 1.0)
        self.offset = (beta - mean * scale).astype(weights.dtype)
        self.scaled = (weights * (scale if self.conv.op == "Conv2D" else scale.reshape(weights.shape[2:]))).astype(weights.dtype)

    @staticmethod
    def _constant(node):
        if node.op != "Const":
            raise ValueError(f"{node.name} is no constant: freeze the graph first")
        return values_from_const(node)

    def _vector(self, node):
        value = self._constant(node)
        if value.shape != (self.channels,):
            raise ValueError(f"{node.name} has the shape {value.shape} instead of {(self.channels,)}")
        return value

    def replaced(self):
        """The nodes that this makes unnecessary."""
        return {self.node.name, self.weights.name, self.conv.name} | ({self.sum.name} if self.sum is not None else set())

    def add_to(self, graph):
        def constant(name, value):
            made = graph.node.add(name=name, op="Const")
            made.attr["dtype"].CopyFrom(self.weights.attr["dtype"])
            made.attr["value"].tensor.CopyFrom(_weir.make_tensor_proto(value))
        constant(self.conv.name + "_weights", self.scaled)
        conv = graph.node.add()
        conv.CopyFrom(self.conv)
        conv.input[1] = self.conv.name + "_weights"
        constant(self.conv.name + "_bn_offset", self.offset)
        total = graph.node.add(name=self.node.name, op="BiasAdd", input=[self.conv.name, self.conv.name + "_bn_offset"])
        for key in ("T", "data_format"):
            total.attr[key].CopyFrom(self.conv.attr[key])


def fold_batch_norms(input_graph_def):
    """Returns the graph with batch normalizations as parts of the weights of the convolutions before them, and biases."""
    nodes, folds = _nodes_of(input_graph_def), []
    for node in input_graph_def.node:
        if node.op in _NORMS:
            try:
                folds.append(_Fold(node, nodes))
            except ValueError as error:
                log.warning("%s cannot be folded: %s", node.name, error)
    replaced = set().union(*(fold.replaced() for fold in folds))
    result = message_class("GraphDef")()
    result.versions.CopyFrom(input_graph_def.versions)
    for node in input_graph_def.node:
        if node.name not in replaced:
            made = result.node.add()
            made.CopyFrom(node)
            made.input[:] = [name for name in node.input if not (name.startswith("^") and name[1:] in replaced)]
    for fold in folds:
        fold.add_to(result)
    return result


def optimize_for_inference(input_graph_def, input_node_names, output_node_names, placeholder_type_enum, toco_compatible=False):
    """Returns the part of a frozen graph between inputs and outputs, without nodes for training, with batch normalizations folded.

    Does not fuse resizing with convolutions, so `toco_compatible` makes no difference.
    """
    ensure_graph_is_valid(input_graph_def)
    graph = strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum)
    graph = fold_batch_norms(graph_util.remove_training_nodes(graph, output_node_names))
    ensure_graph_is_valid(graph)
    return graph
