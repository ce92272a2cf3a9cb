"""Tests utilities for programs: flags, logging, files, tf.test.TestCase, printing."""
import logging
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import weir as tf
from weir.lib import flags


# --- flags ------------------------------------------------------------------------------------------------------------------
@pytest.fixture
def values():
    return flags.FlagValues()


def test_flags_of_every_kind(values):
    flags.DEFINE_string("job", "", "the job", flag_values=values)
    flags.DEFINE_integer("task", 3, "its number", lower_bound=0, flag_values=values)
    flags.DEFINE_float("rate", 0.5, "a rate", flag_values=values)
    flags.DEFINE_bool("sync", False, "all together", flag_values=values)
    flags.DEFINE_enum("mode", "a", ["a", "b"], "a mode", flag_values=values)
    flags.DEFINE_list("hosts", ["x"], "hosts", flag_values=values)
    flags.DEFINE_multi_integer("layer", [1], "sizes", flag_values=values)
    rest = values(["prog", "--job=ps", "--task", "7", "-rate=1e-3", "--sync", "one", "--hosts=a,b", "--layer=4", "--layer=5", "--", "--job=x"])
    assert rest == ["prog", "one", "--job=x"]
    assert (values.job, values.task, values.rate, values.sync, values.mode) == ("ps", 7, 1e-3, True, "a")
    assert values.hosts == ["a", "b"] and values.layer == [4, 5]
    values(["prog", "--nosync", "--mode=b", "--job="])
    assert values.sync is False and values.mode == "b" and values.job == ""
    assert values["task"].default == 3 and "job" in values and "nothing" not in values
    values.task = 9
    assert values.task == 9


@pytest.mark.parametrize("argument, error", [("--task=x", "flag --task=x"), ("--task=-1", "not in the range"), ("--sync=maybe", "boolean"),
                                             ("--mode=c", "one of"), ("--taks=1", "Unknown command line flag 'taks'. Did you mean: task"),
                                             ("--task", "Missing value"), ("--nosync=1", "takes no value")])
def test_wrong_flags(values, argument, error):
    flags.DEFINE_integer("task", 3, "its number", lower_bound=0, flag_values=values)
    flags.DEFINE_bool("sync", False, "all together", flag_values=values)
    flags.DEFINE_enum("mode", "a", ["a", "b"], "a mode", flag_values=values)
    with pytest.raises(flags.Error, match=error):
        values(["prog", argument])


def test_definitions(values):
    flags.DEFINE_string(flag_name="a", default_value="x", docstring="as in 1.0", flag_values=values)
    with pytest.raises(flags.DuplicateFlagError):
        flags.DEFINE_string("a", "y", "again", flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError):
        flags.DEFINE_integer("b", "nothing", "wrong default", flag_values=values)
    flags.DEFINE_string("needed", None, "must be there", flag_values=values)
    flags.mark_flag_as_required("needed", flag_values=values)
    flags.register_validator("a", lambda v: v != "bad", "not this", flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match="needed"):
        values(["prog"])
    values(["prog", "--needed=1"])
    with pytest.raises(flags.IllegalFlagValueError, match="not this"):
        values.a = "bad"
    with pytest.raises(AttributeError):
        values.nothing = 1


PROGRAM = """
import tensorflow as tf
tf.app.flags.DEFINE_string("name", "nobody", "who")
FLAGS = tf.app.flags.FLAGS
tf.logging.set_verbosity(tf.logging.INFO)
def main(argv):
    tf.logging.info("hello %s", FLAGS.name)
    print(FLAGS.name, argv[1:])
    return 3
if __name__ == "__main__":
    tf.app.run()
"""


def run_program(tmp_path, *arguments):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    package = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))
    return subprocess.run([sys.executable, "-m", "weir", "run", str(script), *arguments], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": package})


def test_app_run(tmp_path):
    done = run_program(tmp_path, "--name=you", "--unknown=1", "x")
    assert done.returncode == 3 and done.stdout == "you ['--unknown=1', 'x']\n" and done.stderr == "INFO:tensorflow:hello you\n"
    shown = run_program(tmp_path, "--help")
    assert shown.returncode == 1 and "--name: who" in shown.stdout
    wrong = run_program(tmp_path, "--name")
    assert wrong.returncode == 1 and "FATAL Flags parsing error: Missing value for flag --name" in wrong.stderr


def test_help_of_run():
    package = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))
    for option in ("-h", "--help"):
        done = subprocess.run([sys.executable, "-m", "weir", "run", option], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": package})
        assert done.returncode == 0 and done.stdout.startswith("Usage: weir run SCRIPT") and done.stderr == ""


# --- logging ----------------------------------------------------------------------------------------------------------------
def test_logging(caplog):
    tf.logging.set_verbosity(tf.logging.INFO)
    assert tf.logging.get_verbosity() == logging.INFO
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        tf.logging.info("step %d", 3)
        tf.logging.debug("unseen")
        for _ in range(5):
            tf.logging.log_every_n(tf.logging.WARN, "every", 2)
            tf.logging.log_first_n(tf.logging.WARN, "first", 1)
        tf.logging.log_if(tf.logging.ERROR, "never", False)
    assert [r.getMessage() for r in caplog.records] == ["step 3", "every", "first", "every", "every"]
    assert caplog.records[0].filename == os.path.basename(__file__)


def test_verbosity_applies_to_cpp_messages(tmp_path, capfd, monkeypatch):
    """The verbosity also applies to log lines of savers and supervisors, but not to those of the runtime."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver()
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "m"))

        def said(verbosity):
            tf.logging.set_verbosity(verbosity)
            capfd.readouterr()
            saver.restore(sess, path)
            return "Restoring parameters from" in capfd.readouterr().err
        before = tf.logging.get_verbosity()
        try:
            assert [said(level) for level in (tf.logging.INFO, tf.logging.WARN, "DEBUG", tf.logging.FATAL)] == [True, False, True, False]
        finally:
            tf.logging.set_verbosity(before)


# --- text and files ---------------------------------------------------------------------------------------------------------
def test_compat():
    assert tf.compat.as_bytes("é") == "é".encode() and tf.compat.as_text(b"x") == "x" and tf.compat.as_str_any(5) == "5"
    with pytest.raises(TypeError):
        tf.compat.as_bytes(5)
    assert isinstance(np.int32(1), tf.compat.integral_types) and not isinstance("x", tf.compat.real_types)


def test_gfile(tmp_path):
    path = str(tmp_path / "a" / "b.txt")
    with pytest.raises(tf.errors.NotFoundError):
        tf.gfile.GFile(path).read()
    tf.gfile.MakeDirs(os.path.dirname(path))
    with tf.gfile.GFile(path, "w") as f:
        f.write("one\ntwo\n")
    with tf.gfile.Open(path) as f:
        assert list(f) == ["one\n", "two\n"] and f.size() == 8
    with tf.gfile.GFile(path, "rb") as f:
        f.seek(4)
        assert f.read(2) == b"tw" and f.tell() == 6
        with pytest.raises(tf.errors.PermissionDeniedError):
            f.write(b"x")
    assert tf.gfile.Exists(path) and tf.gfile.IsDirectory(os.path.dirname(path)) and tf.gfile.ListDirectory(os.path.dirname(path)) == ["b.txt"]
    tf.gfile.Copy(path, path + "2")
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.gfile.Copy(path, path + "2")
    tf.gfile.Rename(path, path + "2", overwrite=True)
    assert tf.gfile.Glob(str(tmp_path / "*" / "*")) == [path + "2"] and tf.gfile.Stat(path + "2").length == 8
    tf.gfile.Remove(path + "2")
    tf.gfile.DeleteRecursively(str(tmp_path / "a"))
    assert not tf.gfile.Exists(str(tmp_path / "a"))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gfile.GFile(path, "q")


# --- tf.test.TestCase -------------------------------------------------------------------------------------------------------
class Case(tf.test.TestCase):
    __test__ = False  # test_test_case runs it

    def runTest(self):
        with self.session():
            self.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0 + 1e-7])
            self.assertAllEqual(tf.constant(["a"]).eval(), ["a"])
            self.assertAllClose({"a": [1.0], "b": (2.0, [3.0, 4.0])}, {"a": [1.0], "b": (2.0, [3.0, 4.0])})
            for bad in (lambda: self.assertAllClose([1.0], [1.1]), lambda: self.assertAllEqual([1, 2], [1, 3]),
                        lambda: self.assertAllClose([1.0], [[1.0]]), lambda: self.assertNear(1.0, 2.0, 0.5),
                        lambda: self.assertAllClose({"a": 1.0}, {"b": 1.0}), lambda: self.assertAllInRange([0.0, 5.0], 0, 1)):
                with self.assertRaises(AssertionError):
                    bad()
            with self.assertRaisesOpError("not good"):
                tf.Assert(tf.constant(False), ["not good"]).run()
            with self.assertRaises(AssertionError):
                with self.assertRaisesOpError("something else"):
                    tf.Assert(tf.constant(False), ["not good"]).run()
        self.assertEqual(self.evaluate(tf.constant(5)), 5)
        self.assertProtoEquals('name: "x" op: "NoOp"', tf.NodeDef(name="x", op="NoOp"))
        self.assertDeviceEqual("/cpu:0", "/device:CPU:0")
        with self.test_session() as first, self.test_session() as second:
            self.assertIs(first, second)


def test_test_case():
    # Runs on another thread, which has its own default graph, because the test case resets the default graph.
    results = []
    thread = threading.Thread(target=lambda: results.append(Case().run()))
    thread.start()
    thread.join()
    result, = results
    assert result.testsRun == 1 and not result.failures and not result.errors, (result.failures, result.errors)


def test_compute_gradient():
    x = tf.constant(np.array([[1.0, 2.0], [3.0, 4.0]]))
    y = tf.reduce_sum(x * x, 1)
    with tf.Session():
        analytic, numeric = tf.test.compute_gradient(x, [2, 2], y, [2], x_init_value=np.ones([2, 2]))
        np.testing.assert_allclose(analytic, numeric, atol=1e-6)
        assert tf.test.compute_gradient_error([x], [[2, 2]], y, [2]) < 1e-6
        table = tf.constant(np.ones([3, 2]))
        assert tf.test.compute_gradient_error(table, [3, 2], tf.gather(table, [2, 0, 2]), [3, 2]) < 1e-6


def test_assert_equal_graph_def():
    def made(name):
        with tf.Graph().as_default() as g:
            tf.negative(tf.constant(1.0, name="a"), name=name)
        return g.as_graph_def()
    tf.test.assert_equal_graph_def(made("b"), made("b"))
    with pytest.raises(AssertionError):
        tf.test.assert_equal_graph_def(made("b"), made("c"))


# --- printing and small functions -------------------------------------------------------------------------------------------
def test_print(capfd):
    op = tf.print("x =", tf.constant([1, 2]), {"k": tf.constant(3.0)}, "{}", output_stream=sys.stdout)
    with tf.Session() as s:
        s.run(op)
        s.run(tf.print(tf.constant("plain"), output_stream=sys.stdout, end="!\n"))
        s.run(tf.print(tf.range(10), summarize=1, output_stream=sys.stdout))
        s.run(tf.print(tf.SparseTensor([[0]], [1], [2]), "a", 5, sep="|"))
    out, err = capfd.readouterr()
    assert out == "x = [1 2] {'k': 3} {}\nplain!\n[0 ... 9]\n"
    assert err == "SparseTensor(indices=[[0]], values=[1], shape=[2])|a|5\n"
    with pytest.raises(ValueError):
        tf.print("x", output_stream="nowhere")


def test_switch_case():
    i = tf.placeholder(tf.int32, [])
    fns = [lambda: tf.constant(10), lambda: tf.constant(20), lambda: tf.constant(30)]
    y = tf.switch_case(i, fns)
    z = tf.switch_case(i, {0: fns[0], 1: fns[1]}, default=lambda: tf.constant(-1))
    with tf.Session() as s:
        assert [s.run(y, {i: n}) for n in (0, 1, 2, 7, -1)] == [10, 20, 30, 30, 30]
        assert [s.run(z, {i: n}) for n in (0, 1, 2)] == [10, 20, -1]
    with pytest.raises(ValueError):
        tf.switch_case(i, {0: fns[0], 2: fns[1]})
    with pytest.raises(TypeError):
        tf.switch_case(i, [1])


def test_partitioners():
    assert tf.fixed_size_partitioner(3)(shape=tf.TensorShape([10, 2]), dtype=tf.float32) == [3, 1]
    assert tf.fixed_size_partitioner(30, axis=1)(shape=tf.TensorShape([10, 2]), dtype=tf.float32) == [1, 2]
    assert tf.variable_axis_size_partitioner(80)(shape=tf.TensorShape([10, 5]), dtype=tf.float32) == [3, 1]
    assert tf.variable_axis_size_partitioner(80, max_shards=2)(shape=tf.TensorShape([10, 5]), dtype=tf.float32) == [2, 1]
    assert tf.min_max_variable_partitioner(4, min_slice_size=64)(shape=tf.TensorShape([10, 5]), dtype=tf.float32) == [3, 1]
    assert tf.min_max_variable_partitioner(2, min_slice_size=64)(shape=tf.TensorShape([10, 5]), dtype=tf.float32) == [2, 1]
    v = tf.get_variable("v", [10, 2], partitioner=tf.fixed_size_partitioner(4))
    assert [p.shape[0].value for p in v] == [3, 3, 2, 2]
    with pytest.raises(ValueError):
        tf.fixed_size_partitioner(2, axis=3)(shape=tf.TensorShape([10]), dtype=tf.float32)


def test_template():
    scale = tf.make_template("scale", lambda x: x * tf.get_variable("w", initializer=tf.constant(3.0)))
    a, b = scale(tf.constant(1.0)), scale(tf.constant(2.0))
    other = tf.make_template("scale", lambda x: x * tf.get_variable("w", initializer=tf.constant(4.0)))(tf.constant(1.0))
    assert [v.op.name for v in tf.trainable_variables()] == ["scale/w", "scale_1/w"] and len(scale.trainable_variables) == 1
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        assert s.run([a, b, other]) == [3, 6, 4]


def test_stateless_random():
    with tf.Session() as s:
        a, b, c = (tf.random.stateless_uniform([4], seed=seed) for seed in ([1, 2], [1, 2], [1, 3]))
        assert s.run(a).tolist() == s.run(a).tolist() == s.run(b).tolist() != s.run(c).tolist()
        n = s.run(tf.random.stateless_uniform([100], seed=[1, 2], minval=5, maxval=8, dtype=tf.int32))
        assert set(n) == {5, 6, 7}
        assert abs(s.run(tf.random.stateless_normal([1000], seed=[1, 2], mean=10.0)).mean() - 10) < 0.2
        assert np.abs(s.run(tf.random.stateless_truncated_normal([1000], seed=[1, 2]))).max() <= 2
    with pytest.raises(ValueError):
        tf.random.stateless_uniform([4], seed=[1, 2], dtype=tf.int32)


def test_small_functions():
    with tf.Session() as s:
        assert s.run(tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)).tolist() == [0, 0, 1, 2, 4, 4]
        paddings, crops = s.run(tf.required_space_to_batch_paddings([5, 6], [2, 3]))
        assert paddings.tolist() == [[0, 1], [0, 0]] and crops.tolist() == [[0, 1], [0, 0]]
        np.testing.assert_allclose(s.run(tf.self_adjoint_eigvals([[2.0, 0.0], [0.0, 3.0]])), [2, 3], rtol=1e-6)
        x = tf.placeholder(tf.float32)
        y = tf.ensure_shape(x, [None, 2])
        assert y.shape.as_list() == [None, 2] and s.run(y, {x: [[1, 2]]}).tolist() == [[1, 2]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            s.run(y, {x: [1, 2]})
        with pytest.raises(ValueError):
            tf.ensure_shape(tf.zeros([3]), [2])
        assert s.run(tf.where_v2([True, False], 1.0, [2.0, 3.0])).tolist() == [1, 3] and s.run(tf.where_v2([False, True])).tolist() == [[1]]


def test_add_check_numerics_ops():
    x = tf.placeholder(tf.float32)
    tf.log(x)
    check = tf.add_check_numerics_ops()
    with tf.Session() as s:
        s.run(check, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Log"):
            s.run(check, {x: 0.0})


def test_files_that_are_read_and_written(tmp_path):
    path = str(tmp_path / "file")
    with tf.gfile.GFile(path, "r+") as file:  # the file does not exist yet
        file.write("begin\n")
        file.write("end\n")
        file.flush()
        assert file.readline() == "begin\n" and file.tell() == 6 and file.read() == "end\n"
        file.seek(-4, 2)
        assert file.read() == "end\n"
    with tf.gfile.GFile(path, "a+") as file:
        assert file.read(5) == "begin"
        file.write("more")
    with tf.gfile.GFile(path, "rb+") as file:
        assert file.read() == b"begin\nend\nmore"
        file.write(b"new")
    with tf.gfile.GFile(path, "w") as file, pytest.raises(tf.errors.PermissionDeniedError, match="File isn't open for reading"):
        file.read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w' or 'a'"):
        tf.gfile.GFile(path, "x")
