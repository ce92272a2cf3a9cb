"""tf.strings.format."""
from weir import _weir


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """Returns the template with each placeholder replaced by the text of a tensor."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(inputs):
        raise ValueError(f"{count} placeholder(s) in template does not match {len(inputs)} tensor(s) provided as input")
    return _weir.op_function("StringFormat")(inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)
