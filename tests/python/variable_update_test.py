"""Tests variable constraints, initial values that depend on other variables, and scatter updates of both variable
kinds."""
import inspect
import numpy as np
import pytest
import weir as tf


@pytest.fixture(params=[False, True], ids=["reference", "resource"])
def resource(request):
    with tf.Graph().as_default():
        yield request.param


def started(session):
    session.run(tf.global_variables_initializer())
    return session


def test_a_constraint_holds_after_an_update(resource):
    def clip(x):
        return tf.clip_by_value(x, 0.0, 1.5)

    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0]), constraint=clip, use_resource=resource)
    t = tf.Variable(5.0, constraint=lambda x: x * 0 + 7, use_resource=resource)
    assert v.constraint is clip and tf.Variable(1.0).constraint is None
    with tf.variable_scope("inside", constraint=clip):
        assert tf.get_variable("w", [2], use_resource=resource).constraint is clip
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v) * t, var_list=[v, t])
    with started(tf.Session()) as session:
        session.run(step)
        values = session.run([v, t])
        np.testing.assert_allclose(values[0], [0.5, 1.5, 1.5])
        assert values[1] == 7
    with pytest.raises(RuntimeError, match="constraint"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.gather(v, [0, 2])), var_list=[v])


def test_constraint_errors():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="callable"):
            tf.Variable(1.0, constraint=3)
        with pytest.raises(ValueError, match="callable"):
            tf.get_variable("x", [1], constraint=3)

        def fails(x):
            raise KeyError("mine")

        v = tf.Variable(1.0, constraint=fails)
        with pytest.raises(KeyError, match="mine"):
            tf.train.AdagradOptimizer(0.1).minimize(v * v)


def test_initial_values_of_other_variables():
    """All variables are initialized in one step, in any order."""
    with tf.Graph().as_default() as graph:
        w1 = tf.Variable(tf.constant(3.0), name="w1")
        w2 = tf.Variable(w1 * 2, name="w2")
        w3 = tf.Variable(tf.identity(w2) + w1, name="w3")
        w4 = tf.Variable(lambda: w3 + 1.0, name="w4")
        types = {n.name: (n.op, list(n.input)) for n in graph.as_graph_def().node}
        assert types["mul_w2"] == ("Mul", ["w1/read_w2", "mul/y"])
        assert types["w1/read_w2"] == ("Identity", ["w2/cond/Merge"])
        assert types["w2/Assign"] == ("Assign", ["w2", "mul_w2"])
        assert w2.initial_value.name == "mul:0"
        for _ in range(20):
            with started(tf.Session()) as session:
                assert session.run([w1, w2, w3, w4]) == [3, 6, 9, 10]
        with tf.Session() as session:
            session.run(w1.initializer)
            w1.load(5.0, session)
            session.run(w2.initializer)
            assert session.run(w2) == 10
            w2.load(1.0, session)
            assert session.run(w2) == 1
        # An explicit initialized_value() is kept as it is.
        w5 = tf.Variable(w1.initialized_value() * 3, name="w5")
        with started(tf.Session()) as session:
            assert session.run(w5) == 9


def test_scatter_functions(resource):
    start = np.array([1, 2, 3, 4], np.float32)
    rows = {"update": lambda a, b: b, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "min": np.minimum, "max": np.maximum}
    v = tf.get_variable("v", initializer=start, use_resource=resource)
    slices = tf.IndexedSlices(tf.constant([5.0, 7.0]), tf.constant([0, 2]))
    with tf.Session() as session:
        for name, function in rows.items():
            expected = start.copy()
            expected[[0, 2]] = function(start[[0, 2]], np.array([5, 7], np.float32))
            for changed in (getattr(tf, f"scatter_{name}")(v, [0, 2], [5.0, 7.0]), getattr(v, f"scatter_{name}")(slices)):
                session.run(v.initializer)
                np.testing.assert_allclose(session.run(changed), expected, err_msg=name)
                np.testing.assert_allclose(session.run(v), expected, err_msg=name)
        for name in ("update", "add", "sub"):
            expected = start.copy()
            expected[[0, 2]] = rows[name](start[[0, 2]], np.array([5, 7], np.float32))
            for changed in (getattr(tf, f"scatter_nd_{name}")(v, [[0], [2]], [5.0, 7.0]), getattr(v, f"scatter_nd_{name}")([[0], [2]], [5, 7])):
                session.run(v.initializer)
                np.testing.assert_allclose(session.run(changed), expected, err_msg=name)
        session.run(v.initializer)
        np.testing.assert_allclose(session.run(tf.scatter_update(v, 1, 9.0)), [1, 9, 3, 4])
        np.testing.assert_allclose(session.run(v.scatter_add(slices, use_locking=True)), [6, 9, 10, 4])
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.scatter_add(v, [9], [1.0]))
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_add([1.0])
    for change, arguments in ((tf.assign, [1.0]), (tf.assign_add, [1.0]), (tf.scatter_update, [[0], [1.0]]), (tf.scatter_nd_add, [[[0]], [1.0]])):
        for wrong in (tf.constant([1.0]), None, "v", [1.0]):
            with pytest.raises(AttributeError, match="has no attribute"):
                change(wrong, *arguments)


def test_the_nodes_of_a_variable_know_where_it_was_made():
    made = tf.Variable(1.0)
    line = inspect.currentframe().f_lineno - 1
    got = tf.get_variable("got", [2])
    for variable, expected in ((made, line), (got, line + 2)):
        for op in (variable.op, variable.initializer, variable.value().op):
            assert op.traceback[-1][1] == expected, op.name


def test_rows_of_a_variable(resource):
    """Rows of a resource variable are read through its handle, not from a copy of the whole variable."""
    v = tf.get_variable("v", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]), use_resource=resource)
    rows = {"gather": tf.gather(v, [1]), "axis": tf.gather(v, [1], axis=0), "named": tf.gather(v, [1], name="foo"),
            "read": v.sparse_read([1])}
    elements, columns = tf.gather_nd(v, [[1, 0]]), tf.gather(v, [1], axis=1)
    op = "ResourceGather" if resource else "GatherV2"
    names = ["Gather:0", "Gather_1:0", "foo:0", "Gather_2:0"] if resource else ["GatherV2:0", "GatherV2_1:0", "foo:0", "GatherV2_2:0"]
    assert [y.op.type for y in rows.values()] == [op] * 4 and [y.name for y in rows.values()] == names
    assert columns.op.type == "GatherV2"
    assert (elements.op.inputs[0].op.type if resource else elements.op.type) == ("ResourceGatherNd" if resource else "GatherNd")
    slices, whole = tf.gradients(rows["gather"], v)[0], tf.gradients([elements, columns], v)[0]
    assert isinstance(slices, tf.IndexedSlices)
    with started(tf.Session()) as session:
        for y in rows.values():
            assert session.run(y).tolist() == [[3.0, 4.0]]
        assert session.run([elements, columns])[0].tolist() == [3.0] and session.run(columns).tolist() == [[2.0], [4.0]]
        assert session.run(tf.convert_to_tensor(slices)).tolist() == [[0.0, 0.0], [1.0, 1.0]]
        assert session.run(tf.convert_to_tensor(whole)).tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_a_value_decides_the_type_of_get_variable():
    with tf.Graph().as_default():
        types = {"i": 5, "f": 5.0, "l": np.int64(7), "a": np.array([1.5, 2.5]), "s": "text", "b": True}
        made = {name: tf.get_variable(name, initializer=value).dtype.base_dtype for name, value in types.items()}
    assert made == {"i": tf.int32, "f": tf.float32, "l": tf.int64, "a": tf.float64, "s": tf.string, "b": tf.bool}
