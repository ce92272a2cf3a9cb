"""tf.print: an op that writes values to a stream when it runs."""
import sys as _sys

from weir import _weir


def _stream_name(stream):
    from weir.lib import log
    if stream is None or stream is _sys.stderr:
        return "stderr"
    if stream is _sys.stdout:
        return "stdout"
    for level in ("info", "warning", "error"):
        if stream is getattr(log, level):
            return f"log({level})"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError("Unsupported output stream, logging level, or file: " + str(stream) +
                     ". Supported: sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error, 'file://path'")


class _Placeholder:
    """Prints as the marker of a tensor's value, inside of any structure."""

    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return self._text


def _replace(value, tensors, mark):
    """Moves the tensors in a value to `tensors`, and puts placeholders in their place."""
    if isinstance(value, _weir.SparseTensor):
        tensors.extend([value.indices, value.values, value.dense_shape])
        return _Placeholder(f"SparseTensor(indices={mark}, values={mark}, shape={mark})")
    if isinstance(value, (_weir.Tensor, _weir.Variable)):
        tensors.append(_weir.convert_to_tensor(value))
        return _Placeholder(mark)
    if isinstance(value, dict):
        return type(value)((key, _replace(item, tensors, mark)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_replace(item, tensors, mark) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_replace(item, tensors, mark) for item in value)
    return value


def print_op(*inputs, **kwargs):
    """Returns an op that writes the inputs, separated by `sep` and followed by `end`, to `output_stream`."""
    stream = _stream_name(kwargs.pop("output_stream", None))
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    summarize = 3 if summarize is None else summarize
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    write = _weir.op_function("PrintV2")
    if len(inputs) == 1 and isinstance(inputs[0], _weir.Tensor) and inputs[0].dtype == "string" and inputs[0].shape.ndims == 0:
        return write(inputs[0], output_stream=stream, end=end, name=name)
    mark = "{}"
    while any(mark in text for text in (value for value in inputs if isinstance(value, str))):
        mark = "{" + mark + "}"  # make the marker differ from the inputs' text
    tensors = []
    texts = []
    for value in inputs:
        shown = _replace(value, tensors, mark)
        texts.append(str(shown))
    text = _weir.op_function("StringFormat")(tensors, template=sep.join(texts), placeholder=mark, summarize=summarize)
    return write(text, output_stream=stream, end=end, name=name)
