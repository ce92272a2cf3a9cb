"""Tests control flow with Python callables and nested structures, assertions, functions and TensorArrays."""
import collections

import numpy as np
import pytest
import weir as tf

Pair = collections.namedtuple("Pair", ["a", "b"])


def value(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def test_cond():
    for flag in (True, False):
        def build():
            x, y = tf.constant(2.0), tf.constant(5.0)
            return tf.cond(tf.constant(flag), lambda: x + y, lambda: tf.square(y))
        assert value(build) == (7.0 if flag else 25.0)
    assert value(lambda: tf.cond(tf.constant(True), fn1=lambda: 1, fn2=lambda: 2)) == 1


def test_cond_with_structures():
    def build(flag):
        x = tf.constant(2.0)
        return tf.cond(tf.constant(flag), lambda: {"p": Pair(x, x + 1), "q": [x]}, lambda: {"p": Pair(x * 2, x), "q": [-x]})
    got = value(lambda: build(False))
    assert got["p"] == Pair(4.0, 2.0) and got["q"] == [-2.0]
    with pytest.raises((TypeError, ValueError)):
        value(lambda: tf.cond(tf.constant(True), lambda: [tf.constant(1), tf.constant(2)], lambda: tf.constant(1)))
    with pytest.raises(TypeError):
        value(lambda: tf.cond(True, lambda: 1, lambda: 2))
    with pytest.raises(TypeError):
        value(lambda: tf.cond(tf.constant(True), 1, 2))


def test_cond_runs_one_branch():
    with tf.Graph().as_default(), tf.Session() as s:
        v = tf.Variable(0)
        flag = tf.placeholder(tf.bool)
        step = tf.cond(flag, lambda: tf.assign_add(v, 1).op, lambda: tf.no_op())
        s.run(v.initializer)
        s.run(step, {flag: True})
        s.run(step, {flag: False})
        assert s.run(v) == 1


def test_an_exception_in_a_branch_is_raised_unchanged():
    class Mine(Exception):
        pass

    def fail():
        raise Mine("x")
    with pytest.raises(Mine):
        value(lambda: tf.cond(tf.constant(True), fail, lambda: 1))


def test_case():
    def build(x):
        v = tf.constant(x)
        return tf.case([(v < 1, lambda: tf.constant(10)), (v < 5, lambda: tf.constant(20))], default=lambda: tf.constant(30))
    assert [value(lambda: build(x)) for x in (0, 3, 9)] == [10, 20, 30]


def test_the_order_of_a_case_from_a_dict():
    def build(make):
        pairs = [(tf.constant(True, name="b"), lambda: tf.constant(1)), (tf.constant(True, name="a"), lambda: tf.constant(2))]
        return tf.case(make(pairs), default=lambda: tf.constant(3))
    # Only an OrderedDict keeps its order; other dicts are sorted by the names of the predicates.
    assert [value(lambda: build(make)) for make in (list, dict, collections.OrderedDict)] == [1, 2, 1]


def test_while_loop():
    assert value(lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])) == 12
    assert value(lambda: tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))) == (4, 6)
    got = value(lambda: tf.while_loop(lambda i, p: i < 3, lambda i, p: [i + 1, Pair(p.a * 2, p.b + 1)], [tf.constant(0), Pair(tf.constant(1), tf.constant(0))]))
    assert got[1] == Pair(8, 3)
    with pytest.raises(ValueError):
        value(lambda: tf.while_loop(lambda: True, lambda: (), []))


def test_while_loop_shapes_and_bounds():
    def grow():
        return tf.while_loop(lambda x: tf.size(x) < 6, lambda x: tf.concat([x, x], 0), [tf.constant([1, 2])], shape_invariants=[tf.TensorShape([None])])
    assert value(grow).tolist() == [1, 2] * 4
    assert value(lambda: tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=5)) == 5


def test_while_loop_with_tensor_array_and_gradient():
    with tf.Graph().as_default(), tf.Session() as s:
        x = tf.constant(3.0)
        array = tf.TensorArray(tf.float32, size=4)
        _, array = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, x * tf.cast(i, tf.float32))), (0, array))
        y = array.stack()
        np.testing.assert_allclose(s.run(y), [0, 3, 6, 9])
        assert s.run(tf.gradients(tf.reduce_sum(y), x)[0]) == 6


def test_tensor_array():
    with tf.Graph().as_default(), tf.Session() as s:
        a = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        assert s.run(a.read(1)).tolist() == [3, 4]
        assert s.run(a.size()) == 3
        assert s.run(a.gather([2, 0])).tolist() == [[5, 6], [1, 2]]
        assert s.run(a.concat()).tolist() == [1, 2, 3, 4, 5, 6]


def test_rows():
    np.testing.assert_allclose(value(lambda: tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0]))), [1, 4, 9])
    got = value(lambda: tf.map_fn(lambda p: (p[0] + p[1], p[0]), (np.array([1, 2]), np.array([3, 4])), dtype=(tf.int64, tf.int64)))
    assert got[0].tolist() == [4, 6] and got[1].tolist() == [1, 2]
    assert value(lambda: tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]))).tolist() == [1, 3, 6]
    assert value(lambda: tf.foldl(lambda a, x: a - x, tf.constant([1, 2, 3]), initializer=0)) == -6
    assert value(lambda: tf.foldr(lambda a, x: x - a, tf.constant([1, 2, 3]))) == 2


def test_tuple_waits_for_all():
    with tf.Graph().as_default(), tf.Session() as s:
        v = tf.Variable(1)
        with tf.control_dependencies([v.initializer]):
            bumped = tf.assign_add(v, 1)
        one, two = tf.tuple([tf.constant(5), bumped])
        s.run(v.initializer)
        assert s.run(one) == 5 and s.run(v) == 2


def test_nest():
    from weir.contrib.framework import nest
    structure = {"b": [1, (2,)], "a": Pair(3, 4)}
    assert nest.flatten(structure) == [3, 4, 1, 2]
    assert nest.pack_sequence_as(structure, [10, 20, 30, 40]) == {"b": [30, (40,)], "a": Pair(10, 20)}
    assert nest.map_structure(lambda x: x + 1, [1, {"k": 2}]) == [2, {"k": 3}]
    with pytest.raises(ValueError):
        nest.assert_same_structure([1, 2], [1])


def test_checks():
    with tf.Graph().as_default(), tf.Session() as s:
        x = tf.placeholder(tf.float32, [None])
        for check, good, bad in ((tf.assert_equal(x, 1.0), [1], [2]), (tf.assert_less(x, 1.0), [0], [1]), (tf.assert_positive(x), [1], [0]),
                                 (tf.assert_non_negative(x), [0], [-1]), (tf.assert_near(x, 1.0), [1.0000001], [1.1])):
            s.run(check, {x: good})
            with pytest.raises(tf.errors.InvalidArgumentError):
                s.run(check, {x: bad})
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.assert_equal(tf.constant(1), tf.constant(2))
        with pytest.raises(tf.errors.InvalidArgumentError):
            s.run(tf.Assert(x[0] > 0, [x]), {x: [-1]})
        with pytest.raises(ValueError):
            tf.assert_rank(x, 2)
        tf.assert_rank(x, 1)
        with pytest.raises(TypeError):
            tf.assert_integer(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            s.run(tf.verify_tensor_all_finite(x, "bad"), {x: [np.nan]})


def test_py_func():
    with tf.Graph().as_default(), tf.Session() as s:
        x = tf.placeholder(tf.float32)
        y = tf.py_func(lambda a: np.float32(2) * a, [x], tf.float32)
        np.testing.assert_allclose(s.run(y, {x: [1, 2]}), [2, 4])
        a, b = tf.py_func(lambda v: (v, np.int64(v.size)), [x], [tf.float32, tf.int64])
        assert s.run(b, {x: [1, 2, 3]}) == 3
        wrong = tf.py_func(lambda v: np.float64(1), [x], tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            s.run(wrong, {x: 1})

        def fail(v):
            raise ValueError("mine")
        with pytest.raises(tf.errors.InvalidArgumentError, match="mine"):
            s.run(tf.py_func(fail, [x], tf.float32), {x: 1})


def test_defun():
    from weir.python.framework import function

    @function.Defun(tf.float32, tf.float32, func_name="MulAdd")
    def mul_add(x, y):
        return x * y + x

    @function.Defun(tf.float32)
    def twice(x):
        return mul_add(x, x), -x
    with tf.Graph().as_default(), tf.Session() as s:
        y = mul_add(tf.constant(2.0), tf.constant(3.0))
        assert y.op.type == "MulAdd" and s.run(y) == 8
        a, b = twice(tf.constant(3.0))
        assert s.run([a, b]) == [12, -3]


def test_lengths_of_a_split_need_not_be_integers():
    with tf.Graph().as_default(), tf.Session() as sess:
        parts = tf.TensorArray(tf.float32, size=2).split([[1.0], [2.0]], tf.constant([1.0, 1.0]))
        assert sess.run(parts.concat()).tolist() == [[1.0], [2.0]]
        with pytest.raises(ValueError, match="same graph"):
            with tf.Graph().as_default():
                other = tf.constant(1.0)
            tf.TensorArray(tf.float32, size=2).split([[1.0], [2.0]], other)


def test_errors_of_building_an_assertion_are_not_failed_assertions():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must be equal"):
            tf.assert_near([1.0, 2.0, 3.0], [1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.assert_equal(1, 2)


def test_a_moving_average_takes_a_number_of_updates():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0)
        average = tf.train.ExponentialMovingAverage(0.9, num_updates=0)
        update = average.apply([v])
        sess.run(tf.global_variables_initializer())
        sess.run(v.assign(2.0))
        sess.run(update)
        assert abs(sess.run(average.average(v)) - 1.9) < 1e-6  # decay (1 + 0) / (10 + 0)


def test_functions_with_types_from_their_calls():
    from weir._names import find
    Defun = find("python.framework.function.Defun")
    with tf.Graph().as_default() as graph:
        @Defun(func_name="MulAdd")
        def multiply(x, y):
            return x * 2 + y

        @Defun(python_grad_func=lambda op, dy: dy * 5)
        def double(x):
            return x * 2

        @Defun()
        def gradient(x, dy):
            return dy * 7

        @Defun(grad_func=gradient)
        def square(x):
            return x * x

        @Defun()
        def three():
            return tf.constant(3.0)

        x = tf.constant(1.0)
        results = [multiply(x, 2.0), multiply(tf.constant(1, tf.int64), tf.constant(3, tf.int64)), tf.gradients(double(x), x)[0],
                   tf.gradients(square(x), x)[0], three()]
        with tf.Session() as session:
            assert session.run(results) == [4.0, 5, 5.0, 7.0, 3.0]
        multiply(x, 5.0)
        assert [op.type for op in graph.get_operations() if "MulAdd" in op.type] == ["MulAdd_f32f32", "MulAdd_i64i64", "MulAdd_f32f32"]
        assert three.definition.signature.output_arg[0].type == tf.float32.as_datatype_enum
