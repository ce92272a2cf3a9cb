"""Tests sessions: fetches, feeds, errors, callables, defaults."""
import collections
import os
import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest

import weir as tf

raw = tf.raw_ops


@pytest.fixture
def sess(graph):
    with tf.Session() as session:
        yield session


@pytest.fixture
def x():
    return raw.Placeholder(dtype=tf.float32, shape=[3], name="x")


def test_nested_fetches(sess):
    a = tf.constant(1.0, name="a")
    b = tf.constant([1, 2])
    Pair = collections.namedtuple("Pair", ["left", "right"])
    assert sess.run(a) == 1 and type(sess.run(a)) is np.float32
    result = sess.run({"k": [a, (b, a)], "p": Pair(a, {"q": b})})
    assert result["k"][0] == 1 and isinstance(result["k"][1], tuple) and result["p"].left == 1
    np.testing.assert_array_equal(result["p"].right["q"], [1, 2])
    ordered = sess.run(collections.OrderedDict([("z", a), ("y", b)]))
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["z", "y"]
    made = sess.run(collections.defaultdict(list, {"a": a}))
    assert type(made) is collections.defaultdict and made == {"a": 1} and made["other"] == []
    settings = types.MappingProxyType({"a": a})
    assert sess.run(settings) == {"a": 1}
    many = [tf.constant(i) for i in range(12)]
    assert sess.run(many + many[::-1]) == list(range(12)) + list(range(12))[::-1]
    assert sess.run([]) == [] and sess.run({}) == {} and sess.run(raw.NoOp()) is None
    assert sess.run(["a:0", "a"]) == [1, None]
    assert sess.run([a, raw.NoOp(), a]) == [1, None, 1]


def test_parts_are_fetched_together(sess):
    indices, values, shape = tf.constant([[0, 1]], tf.int64), tf.constant([5.0]), tf.constant([2, 2], tf.int64)
    got = sess.run(tf.SparseTensor(indices, values, shape))
    assert isinstance(got, tf.SparseTensorValue) and got.values[0] == 5
    slices = tf.IndexedSlices(values, tf.constant([3]))
    got = sess.run([slices])[0]
    assert isinstance(got, tf.IndexedSlicesValue) and got.indices[0] == 3 and got.dense_shape is None


@pytest.mark.parametrize("dtype", [
    tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool,
    tf.complex64, tf.complex128,
])
def test_every_type_makes_the_round_trip(sess, dtype):
    for shape in [(), (3,), (0,), (2, 3), (64, 64)]:
        x = raw.Placeholder(dtype=dtype, shape=shape)
        array = (np.arange(np.prod(shape)).reshape(shape) % 2).astype(dtype.as_numpy_dtype)
        got = sess.run(raw.Identity(input=x), {x: array})
        assert got.dtype == dtype.as_numpy_dtype and np.shape(got) == shape
        np.testing.assert_array_equal(got, array)


def test_strings(sess):
    s = raw.Placeholder(dtype=tf.string)
    y = raw.Identity(input=s)
    assert sess.run(y, {s: "abc"}) == b"abc"
    np.testing.assert_array_equal(sess.run(y, {s: ["a\u00e9", b"\x00b"]}), np.array(["a\u00e9".encode(), b"\x00b"], dtype=object))
    got = sess.run(y, {s: np.array([["x", "yy"]])})
    assert got.dtype == object and got.shape == (1, 2) and got[0, 1] == b"yy"
    for bad in (3, [1, 2]):
        with pytest.raises(TypeError):
            sess.run(y, {s: bad})


def test_feeding(sess, x):
    y = raw.Neg(x=x, name="y")
    np.testing.assert_array_equal(sess.run(y, {x: [1, 2, 3]}), [-1, -2, -3])
    np.testing.assert_array_equal(sess.run(y, {"x:0": np.array([1, 2, 3], np.int64)}), [-1, -2, -3])
    np.testing.assert_array_equal(sess.run(y, {y: [4, 5, 6]}), [4, 5, 6])
    a = raw.Placeholder(dtype=tf.int32, shape=[])
    b = raw.Placeholder(dtype=tf.float32)
    assert sess.run(raw.Identity(input=a), {a: np.float64(2.7)}) == 2
    assert sess.run(raw.AddV2(x=b, y=b), {b: np.float64(1.5)}) == 3
    got = sess.run([raw.Identity(input=a), raw.Identity(input=b)], {(a, b): (1, 2)})
    assert got == [1, 2]
    class Feeds(collections.UserDict):
        """A mapping that is not a dict."""

    assert sess.run(raw.Identity(input=a), Feeds({a: 4})) == 4
    assert sess.run(raw.Identity(input=b), {b: 2**70}) == 2.0**70
    view = np.arange(12.0, dtype=np.float32).reshape(4, 3).T
    np.testing.assert_array_equal(sess.run(raw.Identity(input=b), {b: view}), view)
    np.testing.assert_array_equal(sess.run(raw.Identity(input=b), {b: view.astype(">f4")}), view)


def elsewhere():
    with tf.Graph().as_default():
        return tf.constant(1.0)


@pytest.mark.parametrize("feeds, error, text", [
    (lambda x: {x: [1, 2]}, ValueError, "Cannot feed value of shape (2,) for Tensor 'x:0', which has shape '(3,)'"),
    (lambda x: {"x": [1, 2, 3]}, TypeError, "Cannot interpret feed_dict key as Tensor: The name 'x' refers to an Operation"),
    (lambda x: {3: 1}, TypeError, "Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor."),
    (lambda x: {x: x}, TypeError, "The value of a feed cannot be a tf.Tensor object."),
    (lambda x: {x: [[1, 2], [3]]}, ValueError, "Cannot feed this value for Tensor 'x:0' of type float32: setting an array element"),
    (lambda x: {x: ["a", "b", "c"]}, ValueError, "Cannot feed this value for Tensor 'x:0' of type float32: could not convert"),
    (lambda x: {x: [object()] * 3}, TypeError, "Cannot feed this value for Tensor 'x:0' of type float32: "),
    (lambda x: {"x:0": {}}, TypeError, "Cannot feed this value for Tensor 'x:0' of type float32: "),
    (lambda x: [1], TypeError, "feed_dict"),
    (lambda x: {tf.Graph(): 1}, TypeError, "Cannot interpret feed_dict key"),
    (lambda x: {(x, x): ([1, 2, 3],)}, ValueError, "Could not flatten dictionary"),
    (lambda x: {(x,): [1, 2, 3]}, ValueError, "Could not flatten dictionary"),
    (lambda x: {(x,): 1}, ValueError, "Could not flatten dictionary"),
    (lambda x: {elsewhere(): 1}, TypeError, "Cannot interpret feed_dict key as Tensor: Tensor Tensor(\"Const:0\""),
])
def test_wrong_feeds(sess, x, feeds, error, text):
    with pytest.raises(error) as raised:
        sess.run(raw.Neg(x=x), feeds(x))
    assert text in str(raised.value)


def test_integers_that_do_not_fit(sess):
    small = raw.Placeholder(dtype=tf.uint8, shape=[])
    for value in (300, -1, 2**70):
        with pytest.raises(TypeError, match="is not compatible with Tensor type"):
            sess.run(small, {small: value})
    number = raw.Placeholder(dtype=tf.int32, shape=[])
    assert sess.run(number, {number: 2**31 - 1}) == 2**31 - 1 and sess.run(number, {number: -2**31}) == -2**31
    for value in (2**31, -2**31 - 1, 2**40, 2**70):
        with pytest.raises(TypeError, match="is not compatible with Tensor type"):
            sess.run(number, {number: value})
    text = raw.Placeholder(dtype=tf.string, shape=[], name="words")
    with pytest.raises(TypeError, match="is not compatible with Tensor type .* of 'words:0'"):
        sess.run(text, {text: 3})


def test_feeding_composite_values(sess):
    sparse = tf.sparse_placeholder(tf.float32)
    value = tf.SparseTensorValue([[1]], [5.0], [3])
    for fed in (value, tuple(value)):
        np.testing.assert_array_equal(sess.run(tf.sparse_tensor_to_dense(sparse), {sparse: fed}), [0, 5, 0])
    with pytest.raises(ValueError, match="must have 3 components"):
        sess.run(sparse, {sparse: ([[1]], [5.0])})
    values, indices = raw.Placeholder(dtype=tf.float32), raw.Placeholder(dtype=tf.int32)
    shape = raw.Placeholder(dtype=tf.int32)
    for parts in ((values, indices), (values, indices, shape)):
        slices = tf.IndexedSlices(*parts)
        expected = ([1.0, 2.0], [3, 0], [4])[:len(parts)]
        got = sess.run(slices, {slices: expected})
        assert [list(part) for part in got if part is not None] == [list(part) for part in expected]
        call = sess.make_callable(list(parts), [slices])
        assert [list(part) for part in call(*expected)] == [list(part) for part in expected]
        with pytest.raises(ValueError, match=f"must have {len(parts)} components"):
            sess.run(slices, {slices: expected[:-1]})


def test_types_that_are_fetched_and_fed_as_tensors(sess, x):
    class Squared:
        def __init__(self, tensor):
            self.tensor = tensor

    class Derived(Squared):
        pass

    register = tf.python.client.session.register_session_run_conversion_functions
    register(Squared, lambda s: ([s.tensor], lambda values: values[0] ** 2),
             lambda s, value: [(s.tensor, np.sqrt(value))])
    np.testing.assert_array_equal(sess.run([Squared(x)], {x: [1, 2, 3]}), [[1, 4, 9]])
    np.testing.assert_array_equal(sess.run(x, {Derived(x): [1, 4, 9]}), [1, 2, 3])
    for again in (Squared, object):
        with pytest.raises(ValueError, match="has already been registered"):
            register(again, lambda s: ([s.tensor], lambda values: values[0]))


@pytest.mark.parametrize("fetch, error, text", [
    (lambda: None, TypeError, "None"),
    (lambda: 3, TypeError, "must be a string or Tensor. (Can not convert a int into a Tensor or Operation.)"),
    (lambda: "nope:0", ValueError, "cannot be interpreted as a Tensor"),
    (lambda: [tf.constant(1), None], TypeError, "None"),
])
def test_wrong_fetches(sess, fetch, error, text):
    tf.constant(0)
    with pytest.raises(error) as raised:
        sess.run(fetch())
    assert text in str(raised.value)


def test_tensors_that_may_not_be_fed_or_fetched(sess, graph, x):
    y = raw.Neg(x=x)
    graph.prevent_feeding(x)
    graph.prevent_fetching(y.op)
    with pytest.raises(ValueError, match="may not be fed"):
        sess.run(raw.Abs(x=x), {x: [1, 2, 3]})
    for fetch in (y, y.op, [y.op.name]):
        with pytest.raises(ValueError, match="not fetchable"):
            sess.run(fetch, {x: [1, 2, 3]})


def test_errors_of_a_step(sess, x):
    y = raw.Neg(x=x, name="y")
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        sess.run(y)
    error = raised.value
    assert isinstance(error, tf.OpError) and error.error_code == tf.errors.INVALID_ARGUMENT
    assert error.op is x.op and error.node_def.name == "x" and "x" in error.message and "x" in str(error)


def test_closed_and_empty():
    with pytest.raises(RuntimeError, match="graph is empty"):
        tf.Session().run("x")
    c = tf.constant(1)
    session = tf.Session()
    call, handle = session.make_callable(c), session.partial_run_setup([c])
    session.close()
    session.close()
    for use in (lambda: session.run(c), call, lambda: session.partial_run(handle, c), lambda: session.make_callable(c),
                lambda: session.partial_run_setup([c])):
        with pytest.raises(RuntimeError, match="closed Session"):
            use()
    with tf.Graph().as_default():
        other = tf.constant(1)
        tf.constant(2)
    with pytest.raises(ValueError, match="not an element of this graph"):
        tf.Session().run(other)
    with pytest.raises(TypeError):
        tf.Session(graph=3)
    with pytest.raises(TypeError):
        tf.Session(config=3)
    with pytest.raises(tf.errors.NotFoundError):
        tf.Session("nonsense://")


def test_default_sessions(graph, x):
    c = tf.constant(5)
    with pytest.raises(ValueError, match="No default session is registered"):
        c.eval()
    session = tf.Session()
    with session.as_default() as same:
        assert same is session and tf.get_default_session() is session and c.eval() == 5
        with session.as_default():
            pass
        assert tf.get_default_session() is session
        raw.NoOp().run()
        np.testing.assert_array_equal(raw.Neg(x=x).eval({x: [1, 2, 3]}), [-1, -2, -3])
        with tf.Graph().as_default():
            with pytest.raises(ValueError, match="different from the session's graph"):
                tf.constant(1).eval()
    assert tf.get_default_session() is None and session.run(c) == 5
    assert c.eval(session=session) == 5
    with session:
        with pytest.raises(RuntimeError, match="not re-entrant"):
            session.__enter__()
    with pytest.raises(RuntimeError):
        session.run(c)
    other = tf.Graph()
    with tf.Session(graph=other):
        assert tf.get_default_graph() is other
        with tf.Session(graph=other).as_default():
            assert tf.get_default_graph() is other
    with tf.Session(graph=other).as_default():
        assert tf.get_default_graph() is graph
    interactive = tf.InteractiveSession()
    assert c.eval() == 5
    interactive.close()
    assert tf.get_default_session() is None


def test_callables(sess, x):
    y = raw.Neg(x=x)
    function = sess.make_callable([y, raw.NoOp()], [x])
    np.testing.assert_array_equal(function([1, 2, 3])[0], [-1, -2, -3])
    with pytest.raises(ValueError):
        function()
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        function([1])
    with pytest.raises(TypeError):
        sess.make_callable(y, x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'feeds'"):
        function([1, 2, 3], feeds={})
    with pytest.raises(TypeError, match="unexpected keyword argument 'options'"):
        sess.make_callable(raw.NoOp())(options=tf.RunOptions())
    options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    np.testing.assert_array_equal(function([1, 2, 3], options=options, run_metadata=metadata)[0], [-1, -2, -3])
    assert [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats].count(y.op.name) == 1


def test_partial_run(sess):
    a, b = raw.Placeholder(dtype=tf.float32, shape=[]), raw.Placeholder(dtype=tf.float32, shape=[])
    first = a + 1.0
    second = first * b
    handle = sess.partial_run_setup([first, second], [a, b])
    assert sess.partial_run(handle, first, {a: 2.0}) == 3
    assert sess.partial_run(handle, second, {b: 10.0}) == 30


def test_timeouts():
    forever = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0])
    slow = tf.py_func(lambda: (time.sleep(0.2), np.float32(1))[1], [], tf.float32)
    short, long = tf.RunOptions(timeout_in_ms=30), tf.RunOptions(timeout_in_ms=60000)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(forever, options=short)
        assert sess.run(slow) == 1
    # The timeout of a run overrides that of the session.
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=30)) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(forever)
        assert sess.run(slow, options=long) == 1


def test_an_interrupt_ends_a_step():
    forever = tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [0])
    with tf.Session() as sess:
        for run in (lambda: sess.run(forever), sess.make_callable(forever)):
            timer = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
            timer.start()
            with pytest.raises(KeyboardInterrupt) as raised:
                run()
            timer.join()
            assert raised.value.__context__ is None  # KeyboardInterrupt is raised directly, not while handling a step's error
        assert sess.run(tf.constant(1)) == 1


def test_partial_runs_give_copies_of_variables(sess):
    x = raw.Placeholder(dtype=tf.float32, shape=[])
    var = raw.VariableV2(shape=[100, 100], dtype=tf.float32)
    sess.run(raw.Assign(ref=var, value=raw.Fill(dims=[100, 100], value=1.0)).op)
    handle = sess.partial_run_setup([var, x + 1.0], [x])
    fetched = sess.partial_run(handle, var)
    sess.run(raw.AssignAdd(ref=var, value=raw.Fill(dims=[100, 100], value=1.0)).op)
    assert fetched.max() == 1
    fetched[:] = 7
    assert sess.run(var).max() == 2


def test_options_and_metadata(sess, x):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(raw.Neg(x=x), {x: [1, 2, 3]}, options=options, run_metadata=metadata)
    assert metadata.step_stats.dev_stats
    assert any("CPU:0" in d.name for d in sess.list_devices())
    assert tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1)).run(tf.constant(2)) == 2


def test_fetched_arrays_belong_to_the_user(sess):
    c = tf.constant(np.ones([100, 100], np.float32))
    first = sess.run(c)
    first[:] = 7
    assert sess.run(c).max() == 1
    big = raw.Placeholder(dtype=tf.float32)
    array = np.ones([100, 100], np.float32)
    got = sess.run(raw.Identity(input=big), {big: array})
    got[:] = 3
    assert array.max() == 1 and sess.run(big, {big: array}).max() == 1
    for got in (sess.run(big, {big: array}), sess.make_callable(big, [big])(array)):
        assert not np.shares_memory(got, array)
    got = sess.run(raw.Neg(x=big), {big: array})
    del array
    got[:] += 1
    assert got.flags.writeable and got.max() == 0


def test_variables_do_not_alias_fed_arrays(sess):
    var = raw.VariableV2(shape=[100, 100], dtype=tf.float32)
    big = raw.Placeholder(dtype=tf.float32, shape=[100, 100])
    assign = raw.Assign(ref=var, value=raw.Identity(input=big))
    array = np.ones([100, 100], np.float32)
    sess.run(assign.op, {big: array})
    array[:] = 9
    assert sess.run(var).max() == 1
    fetched = sess.run(var)
    fetched[:] = 5
    assert sess.run(var).max() == 1


def test_many_threads_run(sess, x):
    y = raw.Neg(x=x)
    wrong = []

    def work(k):
        for i in range(100):
            if sess.run(y, {x: [k, i, 0]})[1] != -i:
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_interpreter_ends_with_open_sessions():
    code = ("import weir as tf\ns = tf.InteractiveSession()\nx = tf.constant(1.0) + 1.0\nprint(x.eval())\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "2.0\n" and done.stderr == ""


@pytest.mark.parametrize("path", ["/data/model", "runs/first", "./model.ckpt"])
def test_a_path_is_no_target(path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="looks like a file path.*checkpoint_dir"):
        tf.Session(path)


@pytest.mark.parametrize("value", [[b"\0", b"ab\0"], [["x", "\0"]], np.array([b"a\0"], object), b"a\0\0", b""])
def test_fed_strings_keep_trailing_zeros(sess, value):
    place = tf.placeholder(tf.string)
    expected = [[b"x", b"\0"]] if np.ndim(value) == 2 else value
    got = sess.run(tf.identity(place), {place: value})
    assert (got if isinstance(value, bytes) else got.tolist()) == (expected if isinstance(value, bytes) else list(expected))
