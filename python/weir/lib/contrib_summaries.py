"""Summaries of tensors and collections: tf.contrib.layers.summarize_* and slim.summaries."""
import functools
import re

from weir import _weir
from weir._names import find as _find
from weir.lib.graph_keys import GraphKeys


# --- tf.contrib.layers ---
def summarize_tensor(tensor, tag=None):
    """Adds a scalar summary or a histogram. Returns None for strings and bools."""
    if tensor.dtype.base_dtype.name in ("string", "bool"):
        return None
    tag = tag or f"{tensor.op.name}_summary"
    return _find("summary.scalar")(tag, tensor) if tensor.shape.ndims == 0 else _find("summary.histogram")(tag, tensor)


def summarize_activation(op):
    """Adds a histogram; for activations that clip, also the fractions of clipped inputs."""
    kind = op.op.type

    def fraction(clipped, tag):
        value = _find("reduce_mean")(_weir.cast(clipped, _weir.dtypes["float32"]))
        _find("summary.scalar")(f"{op.op.name}/{tag}", value)
    if kind in ("Relu", "Softplus", "Relu6"):
        fraction(op.op.inputs[0] < 0, "zeros")
    if kind == "Relu6":
        fraction(op.op.inputs[0] > 6, "sixes")
    return _find("summary.histogram")(f"{op.op.name}/activation", op)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summarizes the tensors of a collection whose op names match the pattern `name_filter`."""
    return summarize_tensors([t for t in _weir.get_collection(collection) if name_filter is None or re.match(name_filter, t.op.name)],
                             summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


# --- slim.summaries ---
def _name(tensor, name=None, prefix=None, postfix=None):
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _add(kind, tensor, name, print_summary):
    collections = [] if print_summary else None
    summary = _find(f"summary.{kind}")(name, tensor, collections=collections)
    if print_summary:
        summary = _find("Print")(summary, [tensor], name)
        _weir.add_to_collection(GraphKeys.SUMMARIES, summary)
    return summary


def add_histogram_summary(tensor, name=None, prefix=None):
    return _add("histogram", tensor, _name(tensor, name, prefix), False)


def add_image_summary(tensor, name=None, prefix=None, print_summary=False):
    return _add("image", tensor, _name(tensor, name, prefix), print_summary)


def add_scalar_summary(tensor, name=None, prefix=None, print_summary=False):
    return _add("scalar", tensor, _name(tensor, name, prefix), print_summary)


def add_zero_fraction_summary(tensor, name=None, prefix=None, print_summary=False):
    name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return _add("scalar", _find("nn.zero_fraction")(tensor), name, print_summary)


def add_histogram_summaries(tensors, prefix=None):
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors, prefix=None):
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors, prefix=None, print_summary=False):
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors, prefix=None):
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
