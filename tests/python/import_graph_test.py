"""Tests tf.import_graph_def."""
import pytest

import weir as tf

raw = tf.raw_ops


def make_def():
    with tf.Graph().as_default() as g:
        x = raw.Placeholder(dtype=tf.float32, shape=[], name="x")
        raw.AddV2(x=x, y=2.0, name="y")
        return g.as_graph_def()


def test_import():
    y, = tf.import_graph_def(make_def(), return_elements=["y:0"])
    assert y.name == "import/y:0"
    op, = tf.import_graph_def(make_def(), return_elements=["y"], name="")
    assert isinstance(op, tf.Operation) and op.name == "y"
    assert tf.import_graph_def(make_def(), name="again") is None
    with tf.Session() as sess:
        assert sess.run(y, {"import/x:0": 1}) == 3


def test_input_map():
    y, = tf.import_graph_def(make_def(), input_map={"x:0": tf.constant(5.0)}, return_elements=["y:0"])
    with tf.Session() as sess:
        assert sess.run(y) == 7


def test_input_map_of_one_output_of_several():
    with tf.Graph().as_default() as g:
        first, second = raw.Split(axis=0, value=tf.constant([1.0, 2.0]), num_split=2, name="s")
        raw.Sub(x=first, y=second, name="y")
        graph_def = g.as_graph_def()
    y, z = [tf.import_graph_def(graph_def, input_map={key: tf.constant([5.0])}, return_elements=["y:0"])[0] for key in ("s:1", "s")]
    with tf.Session() as sess:
        assert sess.run([y, z]) == [[-4], [3]]


def test_errors():
    with pytest.raises(TypeError):
        tf.import_graph_def(3)
    with pytest.raises(ValueError, match="not found"):
        tf.import_graph_def(make_def(), input_map={"nothing:0": tf.constant(1.0)})
    with pytest.raises(ValueError):
        tf.import_graph_def(make_def(), return_elements=["nothing:0"])
    with pytest.raises(TypeError):
        tf.import_graph_def(make_def(), input_map={3: tf.constant(1.0)})
