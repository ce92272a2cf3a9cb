"""Tests `weir run`, imports, and exit."""
import re
import subprocess
import sys


def weir_run(tmp_path, source, *args):
    script = tmp_path / "script.py"
    script.write_text(source)
    return subprocess.run([sys.executable, "-m", "weir", "run", str(script), *args], capture_output=True, text=True, timeout=120)


def test_a_program_of_tensorflow(tmp_path):
    (tmp_path / "beside.py").write_text("VALUE = 42\n")
    done = weir_run(tmp_path, """
import sys
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import ops, dtypes
import tensorflow.core.protobuf.config_pb2 as config_pb2
import tensorflow.errors
import beside
assert __name__ == "__main__"
assert graph_pb2.GraphDef is tf.GraphDef and config_pb2.ConfigProto is tf.ConfigProto
assert ops.Graph is tf.Graph and dtypes.float32 is tf.float32 and tensorflow.errors.OpError is tf.OpError
with tf.Session() as sess:
    print(tf.__version__, sess.run(tf.constant(1.0) + 1.0), beside.VALUE, *sys.argv[1:])
try:
    tf.no_such_name
except AttributeError as error:
    print(error)
try:
    import tensorflow.no_such_module
except ImportError as error:
    print(error)
""", "--flag", "x")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1.15.5 2.0 42 --flag x"
    assert "no_such_name" in lines[1] and "is provided by Weir" in lines[1] and "dir(tensorflow)" in lines[1]
    assert "no_such_module" in lines[2]


def test_a_program_out_of_a_pipe():
    source = "import sys\nimport tensorflow as tf\nimport __main__\nprint(tf.__version__, __name__, sys.argv[1:], vars(__main__) is globals())\n"
    ended = subprocess.run([sys.executable, "-m", "weir", "run", "/dev/stdin", "a"], input=source, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1.15.5 __main__ ['a'] True\n", "")
    ended = subprocess.run([sys.executable, "-m", "weir", "run", "/dev/stdin"], input="1 +", capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1 and "SyntaxError" in ended.stderr and "weir/__main__.py" not in ended.stderr


def test_errors_of_a_program(tmp_path):
    done = weir_run(tmp_path, "import tensorflow\nraise SystemExit(3)\n")
    assert done.returncode == 3
    done = weir_run(tmp_path, "1 / 0\n")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    done = subprocess.run([sys.executable, "-m", "weir", "run", "/nonexistent.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "nonexistent" in done.stderr


FAILS_BELOW = """
import tensorflow as tf
def add():
    return tf.math.add_n([tf.constant(1.0), tf.constant(1)])
def build():
    try:
        add()
    except TypeError as error:
        raise RuntimeError("not built") from error
build()
"""


def test_a_traceback_shows_the_program(tmp_path):
    done = weir_run(tmp_path, FAILS_BELOW)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "RuntimeError: not built"
    places = re.findall(r'^  File "(.*)", line \d+, in (.*)$', done.stderr, re.M)
    script = str(tmp_path / "script.py")
    assert places == [(script, "build"), (script, "add"), (script, "<module>"), (script, "build")]
    # A syntax error shows only the location in the script.
    done = weir_run(tmp_path, "1 +\n")
    assert done.returncode == 1 and re.findall(r'File "(.*)", line', done.stderr) == [script]


def test_errors_name_features_that_weir_lacks(tmp_path):
    done = weir_run(tmp_path, "import tensorflow as tf\ntf.train.no_such_name\n")
    assert re.search(r"AttributeError: module 'tensorflow.train' has no .*'no_such_name'.* Weir.*dir\(tensorflow.train\)", done.stderr)
    for line in ("import tensorflow.train.no_such_name", "from tensorflow.train import no_such_name"):
        done = weir_run(tmp_path, line + "\n")
        assert done.returncode == 1 and re.search(r"no_such_name.*\n.* is provided by Weir, .*dir\(tensorflow.train\)", done.stderr), done.stderr
    done = weir_run(tmp_path, "import no_such_module\n")
    assert done.returncode == 1 and "Weir" not in done.stderr


def test_tensorflow_is_weir_only_under_weir_run():
    done = subprocess.run([sys.executable, "-c", "import weir\nimport tensorflow"], capture_output=True, text=True)
    assert done.returncode != 0 and "No module named 'tensorflow'" in done.stderr


def test_import_is_light():
    code = """
import numpy, os, sys, threading, signal, time
# numpy itself may have threads, those of its BLAS.
threads = lambda: (threading.active_count(), len(os.listdir("/proc/self/task")))
threads_before = threads()
before = set(sys.modules)
start = time.perf_counter()
import weir
elapsed = time.perf_counter() - start
assert not any(m.startswith("google") for m in set(sys.modules) - before)
assert threads() == threads_before
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(elapsed)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0  # typically 0.03


def test_sigint_reaches_python_after_a_step():
    code = """
import os, signal, time
import weir as tf
x = tf.constant(1.0)
sess = tf.Session()
def body():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)
    return 1.0
y = tf.py_func(body, [], tf.float32)
try:
    sess.run(y)
    time.sleep(5)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
assert sess.run(x) == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
