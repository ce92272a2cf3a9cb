"""Compares the tables of public names and their signatures with TensorFlow's."""
import inspect
import os
import re

import numpy as np
import pytest
import weir as tf
from weir import _names, _weir

# The only allowed reason why a name cannot be resolved: its op does not exist yet.
LATER = ("no op named",)


def test_every_name_stands_for_something():
    table, _ = _names.tables()
    for name in table:
        if name.endswith("*"):
            continue
        try:
            _names.find(name)
        except AttributeError as error:
            assert any(text in str(error) for text in LATER), f"{name}: {error}"


def test_signatures():
    assert str(inspect.signature(tf.argmax)) == "(input, axis=None, name=None, dimension=None, output_type=None)"
    assert str(inspect.signature(tf.nn.moments)) == "(x, axes, shift=None, name=None, keep_dims=None, keepdims=None)"
    assert tf.argmax.__name__ == "argmax"
    with pytest.raises(TypeError):
        tf.argmax()
    with pytest.raises(ValueError):
        tf.argmax([1.0], axis=0, dimension=0)


def test_none_asks_for_the_default():
    with tf.Graph().as_default(), tf.Session() as s:
        assert s.run(tf.argmax([1.0, 3.0], axis=None)) == 1
        assert s.run(tf.reduce_sum([1.0, 3.0], keepdims=None)) == 4


def test_compat_v1():
    import weir.compat.v1 as v1
    v1.disable_eager_execution()
    assert v1.nn.relu is tf.nn.relu and v1.Session is tf.Session
    assert not v1.executing_eagerly()
    with pytest.raises(NotImplementedError):
        v1.enable_eager_execution()


def test_scatters_and_tensors():
    with tf.Graph().as_default(), tf.Session() as s:
        v = tf.Variable(np.zeros([2, 2], np.float32))
        s.run(v.initializer)
        assert s.run(tf.scatter_add(v, [1], [[1.0, 2.0]])).tolist() == [[0, 0], [1, 2]]
        assert s.run(tf.scatter_nd_update(v, [[0]], [[5.0, 5.0]])).tolist() == [[5, 5], [1, 2]]
        assert tf.is_tensor(v) and tf.is_tensor(v + 1) and not tf.is_tensor(1)


def test_the_extension_has_no_function_twice():
    for name in dir(_weir):
        doc = getattr(getattr(_weir, name), "__doc__", None) or ""
        assert not doc.startswith(f"{name}(*args, **kwargs)\nOverloaded"), name


# --- comparison with TensorFlow's names -------------------------------------------------------------------------------------
def facts(file):
    with open(os.path.join(os.path.dirname(__file__), "data", file)) as lines:
        return [line.rstrip("\n").split("\t") for line in lines]


def has(name):
    try:
        _names.find(name)
        return True
    except AttributeError as error:
        if any(text in str(error) for text in LATER):
            return True
    module, _, attribute = name.rpartition(".")
    try:
        return bool(module) and hasattr(_names.find(module), attribute)  # an attribute of a module that is a file
    except AttributeError:
        return False


def test_every_name_of_tensorflow_is_there_or_has_a_reason():
    verdicts = facts("tf_names.tsv")
    assert len(verdicts) > 1900
    gone = [name for name, verdict in verdicts if verdict == "present" and not has(name)]
    assert not gone, "names that were there"
    # New names must be marked as present, so that their removal would be noticed.
    new = [name for name, verdict in verdicts if verdict != "present" and has(name)]
    assert not new, "names to mark as present in tests/python/data/tf_names.tsv"


# Intended differences.
DIFFERENT = {
    # accept logits first by position, as before 1.0; 1.15 accepts them by name only
    "nn.sigmoid_cross_entropy_with_logits", "nn.softmax_cross_entropy_with_logits", "nn.sparse_softmax_cross_entropy_with_logits",
    # have *args and **kwargs instead of a list of parameters
    "get_variable", "get_local_variable",
}


def parameters_of(function):
    """Returns [(name, default as text or None), ...] of a Python function, an op function or a bound function."""
    try:
        return [("*" * (p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)) + p.name, None if p.default is p.empty else repr(p.default))
                for p in inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        pass
    doc = (function.__init__ if inspect.isclass(function) else function).__doc__.split("\n")[0]
    found, depth, text = [], 0, ""
    for c in re.match(r"\w+\((.*)\)( -> .*)?$", doc)[1] + ",":
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            found.append(text.strip())
            text = ""
        else:
            text += c
    parameters = []
    for item in found:
        name = re.match(r"\**\w*", item)[0]
        parameters.append((name, item.rpartition(" = ")[2] if " = " in item else None))
    return [p for p in parameters if p[0] not in ("", "self")]


def literal(text):
    try:
        value = eval(text, {"__builtins__": {}, "inf": float("inf")})
    except Exception:
        return text
    return round(float(value), 6) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def differences(name, expected):
    mine = parameters_of(_names.find(name))
    names = [parameter for parameter, _ in mine]
    for position, item in enumerate(expected):
        parameter, equals, default = item.partition("=")
        if parameter.startswith("*"):
            continue
        if parameter not in names:
            yield f"no parameter {parameter}"
        elif names.index(parameter) != position:
            yield f"{parameter} is parameter {names.index(parameter)}, not {position}"
        elif equals and mine[position][1] is None:
            yield f"{parameter} has no default"
        elif equals and parameter != "name" and default != "..." and literal(default) is not None and literal(mine[position][1]) is not None:
            # A default of None stands for any default.
            value = literal(mine[position][1])
            same = value == literal(default) or str(value).endswith(f"'{default}'>") or f"tf.{literal(default)}" == str(value)
            if not same:
                yield f"{parameter}={mine[position][1]}, not {default}"


def split_parameters(text):
    return re.findall(r"[^,\s=]+(?:=(?:'[^']*'|\([^)]*\)|\[[^\]]*\]|[^,]*))?", text)


@pytest.mark.parametrize("name, signature", [pytest.param(*(row + [""])[:2], id=row[0]) for row in facts("tf_signatures.tsv")])
def test_signature(name, signature):
    try:
        _names.find(name)
    except AttributeError as error:
        if any(text in str(error) for text in LATER):
            pytest.skip(str(error))
        raise
    if name not in DIFFERENT:
        assert not list(differences(name, split_parameters(signature)))
