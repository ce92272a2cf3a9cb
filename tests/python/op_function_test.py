"""Tests the functions that are generated from the op registry."""
import inspect
import pathlib

import numpy as np
import pytest

import weir
import weir as tf
from weir.ops import gen

raw = tf.raw_ops


def test_signatures():
    assert str(inspect.signature(raw.MatMul)) == "(a, b, transpose_a=False, transpose_b=False, name=None)"
    assert str(inspect.signature(raw.Placeholder)).startswith("(dtype, shape=")
    assert gen.mat_mul is raw.MatMul and gen.mat_mul.__name__ == "mat_mul"
    names = dir(gen)
    for name in ("mat_mul", "add_v2", "placeholder", "strided_slice"):
        assert name in names


def test_results(graph):
    assert isinstance(raw.NoOp(), tf.Operation)
    assert isinstance(raw.MatMul(a=[[1.0]], b=[[2.0]]), tf.Tensor)
    parts = raw.Split(axis=0, value=[1, 2], num_split=2)
    assert isinstance(parts, list) and len(parts) == 2
    top = raw.TopKV2(input=[1.0, 2.0], k=1)
    assert type(top).__name__ == "TopKV2" and top._fields == ("values", "indices") and top.indices.dtype == tf.int32


def test_calls_by_position_and_name():
    assert raw.MatMul([[1.0, 2.0]], [[1.0, 2.0]], False, True, "named").name == "named:0"
    assert raw.Cast(x=1, DstT="float64").dtype == tf.float64


@pytest.mark.parametrize("call, error, text", [
    (lambda: raw.MatMul(a=1, b=2, c=3), TypeError, "unexpected keyword argument 'c'"),
    (lambda: raw.MatMul(a=[[1.0]]), TypeError, "missing"),
    (lambda: raw.MatMul([[1.0]], [[1.0]], a=1), TypeError, "multiple values"),
    (lambda: raw.Pack(values=3), TypeError, "Expected list for 'values' argument"),
    (lambda: raw.Cast(x=3, DstT="foo"), TypeError, "DstT"),
    (lambda: raw.Placeholder(dtype=3.5), TypeError, "dtype"),
    (lambda: raw.ConcatV2(values=[[1], [2.0]], axis=0), TypeError, ""),
    (lambda: raw.AddV2(x=1, y=2.5), TypeError, ""),
    (lambda: raw.MatMul(a=[1.0], b=[2.0]), ValueError, ""),
    (lambda: raw.Neg(x="a"), TypeError, ""),
    (lambda: raw.Neg(x=None), ValueError, "None values not supported"),
    (lambda: raw.Split(axis=0, value=[1, 2, 3], num_split=2), ValueError, ""),
    (lambda: raw.Split(axis=0, value=[1, 2, 3], num_split="x"), TypeError, "num_split"),
    (lambda: raw.NoSuchOp, AttributeError, "NoSuchOp"),
    (lambda: gen.no_such_op, AttributeError, "no_such_op"),
])
def test_errors(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)


def test_a_tensor_of_another_graph_is_the_error_before_a_missing_list():
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="must be from the same graph"):
        raw.Assert(condition=tf.constant(True), data=other)
    with pytest.raises(TypeError, match="Expected list for 'data' argument"):
        raw.Assert(condition=tf.constant(True), data=tf.constant(1.0))


@pytest.mark.parametrize("build, error, names", [
    (lambda f, i, s: f + i, TypeError, ["'i:0' of type int32", "float32", "'f:0'"]),
    (lambda f, i, s: i < f, TypeError, ["'f:0' of type float32", "int32", "'i:0'"]),
    (lambda f, i, s: tf.concat([tf.reshape(f, [1], name="a"), tf.reshape(i, [1], name="b")], 0), TypeError, ["'b:0' of type int32", "'a:0'"]),
    (lambda f, i, s: tf.add_n([f, i]), TypeError, ["'i:0' of type int32", "float32", "'f:0'"]),
    (lambda f, i, s: tf.where(tf.constant(True), f, i), TypeError, ["'i:0' of type int32", "'f:0'"]),
    (lambda f, i, s: tf.logical_not(f), TypeError, ["'f:0' of type float32", "expected type of bool"]),
    (lambda f, i, s: tf.logical_xor(True, f), TypeError, ["'f:0' of type float32", "bool"]),
    (lambda f, i, s: tf.cond(i, lambda: f, lambda: f), TypeError, ["pred", "'i:0'", "int32"]),
    (lambda f, i, s: tf.sqrt(s), TypeError, ["'s:0' of type string", "float16, float32, float64"]),
    (lambda f, i, s: tf.sqrt(i), TypeError, ["'i:0' of type int32", "Sqrt"]),
    (lambda f, i, s: tf.convert_to_tensor(i, tf.float32), ValueError, ["float32", "int32", "'i:0'"]),
    (lambda f, i, s: tf.Variable(i, dtype=tf.float32), ValueError, ["initial_value", "'i:0'", "int32", "float32"]),
    (lambda f, i, s: tf.Variable(1.0).assign(i), TypeError, ["'i:0' of type int32", "'Variable:0'", "float32"]),
])
def test_wrong_types_name_the_tensors(graph, build, error, names):
    f, i, s = tf.constant(1.0, name="f"), tf.constant(1, name="i"), tf.constant("a", name="s")
    with pytest.raises(error) as raised:
        build(f, i, s)
    assert not [name for name in names if name not in str(raised.value)], raised.value


def test_every_op_has_a_function():
    for name in dir(raw):
        function = getattr(raw, name)
        assert function.parameters[-1] == "name", name
        inspect.signature(function)


def test_every_op_name_can_be_found_in_the_sources():
    ops = pathlib.Path(__file__).resolve().parents[2] / "src" / "ops"
    text = "".join(path.read_text() for path in ops.rglob("*.cc") if not path.name.endswith("_test.cc"))
    names = weir._weir.op_names()
    assert len(names) > 700
    assert [name for name in names if f'"{name}"' not in text] == []
