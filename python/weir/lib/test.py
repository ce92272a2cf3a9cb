"""tf.test: a unittest case with support for sessions, arrays and messages; numeric gradients; build information."""
import contextlib as _contextlib
import os as _os
import random as _random
import re as _re
import tempfile as _tempfile
import threading as _threading
import unittest as _unittest
from unittest import mock  # noqa: F401 (a public name)

import numpy as _np

from weir import _weir, errors as _errors
from weir.lib.session import Session as _Session

_temp_dir = None


def get_temp_dir():
    """Returns a folder for the files of this run. It is removed at exit."""
    global _temp_dir
    if _temp_dir is None:
        import atexit
        import shutil
        _temp_dir = _tempfile.mkdtemp(prefix="weir_test_")
        atexit.register(shutil.rmtree, _temp_dir, ignore_errors=True)
    return _temp_dir


GetTempDir = get_temp_dir


def create_local_cluster(num_workers, num_ps, protocol="grpc", worker_config=None, ps_config=None):
    """Starts servers in this process. Returns those of the workers and those of the parameter servers."""
    import socket
    from weir.lib.server import Server
    sockets = [socket.socket() for _ in range(num_workers + num_ps)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))  # a machine without /etc/hosts cannot resolve "localhost"
    addresses = [f"localhost:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    cluster = _weir.ClusterSpec({"worker": addresses[:num_workers], "ps": addresses[num_workers:]})
    workers = [Server(cluster, "worker", i, protocol, worker_config) for i in range(num_workers)]
    return workers, [Server(cluster, "ps", i, protocol, ps_config) for i in range(num_ps)]


class StubOutForTesting:
    """Replaces attributes of objects for a test; UnsetAll, or the end of a `with` block, restores them."""

    def __init__(self):
        self._replaced, self._replaced_smartly = [], []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.CleanUp()

    def __del__(self):
        self.CleanUp()

    def CleanUp(self):
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent, child_name, new_child):
        """Replaces the attribute of a module or class."""
        old = getattr(parent, child_name)
        own = getattr(parent, "__dict__", {}).get(child_name)
        self._replaced.append((parent, child_name, own if isinstance(own, (staticmethod, classmethod)) else old))
        setattr(parent, child_name, new_child)

    def UnsetAll(self):
        while self._replaced:
            setattr(*self._replaced.pop())

    def SmartSet(self, obj, attr_name, new_attr):
        """Replaces an attribute where it is defined: in the module, the object, or the class that defines it."""
        import inspect
        owners = [obj]
        if not inspect.ismodule(obj) and attr_name not in getattr(obj, "__dict__", {}):
            owners = list(inspect.getmro(obj if inspect.isclass(obj) else type(obj)))
        owner = next((o for o in owners if attr_name in o.__dict__), None)
        if owner is None:
            raise AttributeError(f"{obj!r} has no attribute '{attr_name}'")
        self._replaced_smartly.append((owner, attr_name, owner.__dict__[attr_name]))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self):
        while self._replaced_smartly:
            setattr(*self._replaced_smartly.pop())


def main(argv=None):
    _unittest.main(argv=argv)


def is_built_with_cuda():
    return any(d.device_type == "GPU" for d in _devices())


is_built_with_gpu_support = is_built_with_cuda


def is_built_with_rocm():
    return False


def is_built_with_xla():
    return False


def _devices():
    with _weir.Graph().as_default(), _Session() as session:
        return session.list_devices()


def gpu_device_name():
    return next((d.name for d in _devices() if d.device_type == "GPU"), "")


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    return gpu_device_name() != ""


def test_src_dir_path(relative_path):
    return _os.path.join(_os.getcwd(), relative_path)


def _sorted_graph(graph_def):
    copy = type(graph_def)()
    copy.CopyFrom(graph_def)
    nodes = sorted(copy.node, key=lambda node: node.name)
    del copy.node[:]
    copy.node.extend(nodes)
    for node in copy.node:
        inputs = [i for i in node.input if not i.startswith("^")] + sorted(i for i in node.input if i.startswith("^"))
        del node.input[:]
        node.input.extend(inputs)
    copy.ClearField("versions")
    return copy


def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """Asserts that both graphs have the same nodes, in any order."""
    import weir
    for graph_def in (actual, expected):
        if not isinstance(graph_def, weir.GraphDef):
            raise TypeError(f"Expected tf.GraphDef, got {type(graph_def).__name__}")
    a, e = _sorted_graph(actual), _sorted_graph(expected)
    names, wanted = {n.name for n in a.node}, {n.name for n in e.node}
    if names != wanted:
        raise AssertionError(f"the graphs differ: only the first has {sorted(names - wanted)}, only the second {sorted(wanted - names)}")
    for node, other in zip(a.node, e.node):
        if node != other:
            raise AssertionError(f"the graphs differ at node '{node.name}':\n{node}\nand\n{other}")


# --- gradients --------------------------------------------------------------------------------------------------------
def _compute_gradient(x, x_shape, dx, y, y_shape, dy, value, delta, feeds):
    rows, columns = int(_np.prod(x_shape)), int(_np.prod(y_shape))
    session = _weir.get_default_session()
    analytic = _np.zeros([rows, columns], value.dtype)
    seed = _np.zeros(y_shape, y.dtype.as_numpy_dtype)
    for column in range(columns):
        seed.reshape(-1)[column] = 1
        got = session.run(dx, {**feeds, x: value, dy: seed})
        if hasattr(got, "indices"):
            dense = _np.zeros(x_shape, value.dtype)
            _np.add.at(dense, got.indices, got.values)
            got = dense
        analytic[:, column] = _np.asarray(got).reshape(-1)
        seed.reshape(-1)[column] = 0
    numeric = _np.zeros([rows, columns], value.dtype)
    for row in range(rows):
        sides = []
        for step in (delta, -delta):
            moved = value.copy()
            moved.reshape(-1)[row] += step
            sides.append(_np.asarray(session.run(y, {**feeds, x: moved})).reshape(-1))
        numeric[row] = (sides[0] - sides[1]) / (2 * delta)
    return analytic, numeric


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """Returns the analytic and the numeric Jacobian of y with respect to x; a list if x is one. Needs a default
    session."""
    many = isinstance(x, (list, tuple))
    xs = list(x) if many else [x]
    shapes = list(x_shape) if many else [x_shape]
    values = list(x_init_value) if many and x_init_value is not None else [x_init_value] * len(xs)
    session = _weir.get_default_session()
    feeds = dict(extra_feed_dict or {})
    for target in init_targets or []:
        session.run(target, feeds)
    values = [_np.random.random_sample(shape) if value is None else _np.asarray(value) for value, shape in zip(values, shapes)]
    values = [value.astype(t.dtype.as_numpy_dtype) for value, t in zip(values, xs)]
    with y.graph.as_default():
        dy = _weir.op_function("Placeholder")(dtype=y.dtype, shape=y_shape, name="grad_ys")
        gradients = _weir.gradients(y, xs, dy)
    results = []
    for i, (t, shape, dx) in enumerate(zip(xs, shapes, gradients)):
        others = {other: value for j, (other, value) in enumerate(zip(xs, values)) if j != i}
        if dx is None:
            dx = _weir.zeros_like(t)
        results.append(_compute_gradient(t, shape, dx, y, y_shape, dy, values[i], delta, {**feeds, **others}))
    return results if many else results[0]


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """Returns the largest difference between the analytic and the numeric Jacobian."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max([_np.fabs(a - n).max() for a, n in pairs if a.size] or [0.0])


# --- the test case ----------------------------------------------------------------------------------------------------
class TestCase(_unittest.TestCase):
    """A test case with a new default graph and fixed random seeds for every test."""

    def __init__(self, methodName="runTest"):
        super().__init__(methodName)
        self._cached = None
        self._threads = []

    def setUp(self):
        self._clear_cached_session()
        _random.seed(87654321)
        _np.random.seed(87654321)
        _weir.reset_default_graph()
        _weir.set_random_seed(87654321)

    def tearDown(self):
        for thread in self._threads:
            thread.check_termination()
        self._clear_cached_session()

    def _clear_cached_session(self):
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    def get_temp_dir(self):
        return _tempfile.mkdtemp(dir=get_temp_dir())

    @_contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """Opens a new session. Errors of steps propagate to the test."""
        with _Session(graph=graph, config=config) as session:
            yield session

    @_contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """Returns a session that is shared by all uses within a test."""
        if self._cached is None:
            self._cached = _Session(graph=graph, config=config)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        if graph is None:
            return self.cached_session(graph, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)
    setattr(test_session, "__test__", False)

    def evaluate(self, tensors):
        session = _weir.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.session() as session:
            return session.run(tensors)

    # arrays
    def _array(self, value):
        if isinstance(value, (_weir.Tensor, _weir.Variable)):
            value = self.evaluate(value)
        return value if isinstance(value, _np.ndarray) else _np.array(value)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        self._assert_close(a, b, rtol, atol, [], msg)

    def _assert_close(self, a, b, rtol, atol, path, msg):
        where = "".join(f"[{p!r}]" for p in path)
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertIsInstance(b, dict, msg)
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, path + [key], msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            try:
                left, right = self._array(a), self._array(b)
                ragged = left.dtype == object or right.dtype == object
            except (ValueError, TypeError):
                ragged = True
            if ragged:
                self.assertEqual(len(a), len(b), f"different lengths at {where or 'the top'}. {msg or ''}")
                for i, (x, y) in enumerate(zip(a, b)):
                    self._assert_close(x, y, rtol, atol, path + [i], msg)
                return
        left, right = self._array(a), self._array(b)
        self.assertEqual(left.shape, right.shape, f"shapes differ{' at ' + where if where else ''}: {left.shape} and {right.shape}. {msg or ''}")
        if not _np.allclose(left, right, rtol=rtol, atol=atol, equal_nan=True):
            apart = ~_np.isclose(left, right, rtol=rtol, atol=atol, equal_nan=True)
            difference = _np.abs(left.astype(_np.float64) - right.astype(_np.float64)) if left.dtype.kind != "c" else _np.abs(left - right)
            raise self.failureException(
                f"{msg + ': ' if msg else ''}values are not close{' at ' + where if where else ''} (rtol={rtol}, atol={atol}): "
                f"{int(apart.sum())} of {apart.size} differ, by at most {difference.max()}\nfirst: {left[apart][:10]}\nsecond: {right[apart][:10]}")

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3,
                                      half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        left, right = self._array(a), self._array(b)
        names = {str(left.dtype), str(right.dtype)}
        for kinds, r, t in (({"float32", "complex64"}, float_rtol, float_atol), ({"float16"}, half_rtol, half_atol),
                            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol)):
            if names & kinds:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(left, right, rtol, atol, msg)

    def assertNotAllClose(self, a, b, **kwargs):
        try:
            self.assertAllClose(a, b, **kwargs)
        except self.failureException:
            return
        raise self.failureException("The two values are close at all elements")

    def assertAllEqual(self, a, b, msg=None):
        left, right = self._array(a), self._array(b)
        self.assertEqual(left.shape, right.shape, f"shapes differ: {left.shape} and {right.shape}. {msg or ''}")
        if left.dtype.kind in "OSU" or right.dtype.kind in "OSU":
            from weir.lib.text import as_bytes
            text = _np.frompyfunc(lambda v: as_bytes(v) if isinstance(v, str) else v, 1, 1)
            left, right = _np.asarray(text(left)), _np.asarray(text(right))
        same = left == right
        if left.dtype.kind in "fc" and right.dtype.kind in "fc":
            same = same | (_np.isnan(left) & _np.isnan(right))
        if not _np.all(same):
            raise self.failureException(f"{msg + ': ' if msg else ''}{int(_np.sum(~_np.asarray(same, bool)))} of {left.size} elements differ:\n"
                                        f"{left}\nand\n{right}")

    def assertNotAllEqual(self, a, b, msg=None):
        try:
            self.assertAllEqual(a, b)
        except self.failureException:
            return
        raise self.failureException(msg or "The two values are equal at all elements")

    def assertAllGreater(self, a, comparison_target):
        self.assertGreater(_np.min(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        self.assertGreaterEqual(_np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        self.assertLess(_np.max(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        self.assertLessEqual(_np.max(self._array(a)), comparison_target)

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        values = self._array(target)
        low = values <= lower_bound if open_lower_bound else values < lower_bound
        high = values >= upper_bound if open_upper_bound else values > upper_bound
        if _np.any(low | high | (values != values)):
            raise self.failureException(f"{values[low | high | (values != values)][:10]} is not between {lower_bound} and {upper_bound}")

    def assertAllInSet(self, target, expected_set):
        left = set(self._array(target).reshape(-1).tolist()) - set(expected_set)
        if left:
            raise self.failureException(f"{len(left)} unique elements are not in the set: {sorted(left)[:10]}")

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        if not isinstance(np_array, (_np.ndarray, _np.generic)):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        self.assertEqual(self._array(target).dtype, _np.dtype(getattr(expected_dtype, "as_numpy_dtype", expected_dtype)))

    # numbers
    def assertNear(self, f1, f2, err, msg=None):
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err}{' ' + msg if msg else ''}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg)
        for a, b in zip(farray1, farray2):
            self.assertNear(float(a), float(b), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        self.assertEqual(ndarray1.shape, ndarray2.shape, msg)
        self.assertLess(_np.linalg.norm(ndarray1 - ndarray2), err, msg)

    # messages, devices, text
    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None, relative_tolerance=None):
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            from google.protobuf import text_format  # type: ignore
            expected = text_format.Parse(expected, type(message)())
        self.assertEqual(expected, message, msg)

    def assertProtoEqualsVersion(self, expected, actual, producer=None, min_consumer=None, msg=None):
        from google.protobuf import text_format
        wanted = type(actual)()
        text_format.Parse(expected, wanted)
        wanted.versions.CopyFrom(actual.versions)
        self.assertProtoEquals(wanted, actual, msg)

    def assertDeviceEqual(self, device1, device2, msg=None):
        def canonical(device):
            return _weir.DeviceSpec.from_string(device if isinstance(device, str) else device.to_string()).to_string() if device else ""
        self.assertEqual(canonical(device1), canonical(device2), msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertEmpty(self, container, msg=None):
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container, msg=None):
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container, expected_len, msg=None):
        self.assertEqual(len(container), expected_len, msg)

    # errors
    @_contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Asserts that a regular expression matches the error's message or op name, or that a predicate holds for it.
        """
        try:
            yield
        except exception_type as error:
            wanted = expected_err_re_or_predicate
            if callable(wanted):
                found = wanted(error)
            else:
                text = error.message if isinstance(error, _errors.OpError) else str(error)
                if isinstance(error, _errors.OpError) and error.op is not None:
                    text += "\nCaused by op: " + error.op.name
                found = _re.search(wanted, text)
            if not found:
                raise AssertionError(f"Exception of type {type(error)}: {error}")
            return
        raise self.failureException(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(_errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type=_errors.InvalidArgumentError):
        return self.assertRaisesWithPredicateMatch(exception_type, r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes")

    def checkedThread(self, target, args=None, kwargs=None):
        """Returns a thread whose exceptions fail the test that joins it."""
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread


class _CheckedThread:
    def __init__(self, testcase, target, args, kwargs):
        self._testcase, self._error, self._joined = testcase, None, False

        def run():
            try:
                target(*args, **kwargs)
            except Exception as error:  # reported by join()
                self._error = error
        self._thread = _threading.Thread(target=run)

    def start(self):
        self._thread.start()

    def join(self):
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self):
        return self._thread.is_alive()

    def check_termination(self):
        if self._joined:
            return
        if self.is_alive():
            self._testcase.fail("A checked thread was not joined and still runs")
        self._testcase.fail("A checked thread was not joined")


class Benchmark:
    """Base class of benchmarks. run_op_benchmark measures an op and prints the result."""

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None):
        entry = {"name": name or type(self).__name__, "iters": iters, "cpu_time": cpu_time, "wall_time": wall_time,
                 "throughput": throughput, "extras": extras}
        print("entry " + " ".join(f"{key}: {value}" for key, value in entry.items() if value is not None))

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0):
        import time
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict)
            times.append(time.perf_counter() - start)
        result = {"iters": min_iters, "wall_time": float(_np.median(times)), "extras": dict(extras or {}), "name": name,
                  "throughput": mbs / float(_np.median(times))}
        self.report_benchmark(**result)
        return result


def benchmark_config():
    import weir
    return weir.ConfigProto()
