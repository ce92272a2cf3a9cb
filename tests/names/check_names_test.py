"""Tests that missing public names have true reasons (tools/check_names), and that errors show them."""
import importlib
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest
import weir as tf
from weir import _missing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_loader = importlib.machinery.SourceFileLoader("check_names", str(ROOT / "tools/check_names"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_names", _loader))
_loader.exec_module(check)


def test_every_missing_name_has_a_true_reason_and_the_page_shows_it():
    result = subprocess.run([sys.executable, ROOT / "tools/check_names"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def group(why, *rows, use=""):
    made = _missing.Group(why)
    made.why, made.use, made.names = why, use, dict.fromkeys(rows, "")
    return made


NAMES = {"a": ("function", "x, y=1"), "m": ("module", None), "m.b": ("function", None), "m.c": ("class", None), "m.n": ("module", None),
         "m.n.d": ("function", None)}


def test_a_missing_name_needs_a_row():
    (problem,) = check.problems([], {"a": "tf.a is missing"}, NAMES)
    assert problem.startswith("tf.a is missing: implement it, or add the row 'a' with a reason")


def test_a_row_for_a_name_that_exists_fails_and_says_what_to_run():
    (problem,) = check.problems([group("later", "a()")], {}, NAMES)
    assert problem.startswith("tf.a() exists now") and "run `tools/check_names --write` and commit" in problem
    (problem,) = check.problems([group("later", "typo")], {}, NAMES)
    assert "names nothing of TensorFlow 1.15" in problem


def test_a_row_of_a_module_covers_its_names():
    found = dict.fromkeys(["m", "m.b", "m.c", "m.n", "m.n.d"], "missing")
    assert not list(check.problems([group("later", "m")], found, NAMES))


def test_update_drops_rows_and_splits_modules_that_exist_now():
    groups = [group("later", "a", "m"), group("never", "a()")]
    check.update(groups, dict.fromkeys(["m.c", "m.n", "m.n.d"], "missing"), NAMES)
    assert [(g.why, list(g.names)) for g in groups] == [("later", ["m.c", "m.n"])]


@pytest.mark.parametrize("signature, problem", [
    ("x, y=1", None), ("x, y=1, name=None", "no parameter name"), ("y=1, x=None", "y is parameter 2 instead of 1"), ("x=1, y=1", "x has no default"),
    ("x, y=2", "y=1 instead of 2"), ("x", None), ("", "x is required"), ("x, y=..., **kwargs", "no **kwargs"), ("*args, **kwargs", None),
    ("_sentinel=None, y=1, x=None", "x has no default"), ("x, y=(1, 1)", None),
])
def test_difference_of_parameters(signature, problem):
    assert check.difference(lambda x, y=1: 0, signature) == problem


def test_parameters_of_ops_and_bound_functions():
    assert check.parameters_of(tf.raw_ops.Relu)[0] == [("features", False, None), ("name", True, None)]
    assert check.difference(tf.nn.moments, "x, axes, shift=None, name=None, keep_dims=None, keepdims=None") is None
    assert check.difference(tf.cast, "x, dtype, name=None") is None
    assert check.difference(tf.random_uniform, "shape, minval=0, maxval=None, dtype=tf.int32, seed=None, name=None") == (
        "dtype='float32' instead of 'int32'")


# --- errors -----------------------------------------------------------------------------------------------------------
def test_an_attribute_that_is_missing_gives_the_reason():
    with pytest.raises(AttributeError, match="^module 'weir' has no attribute 'GradientTape': Weir builds graphs .* Instead: `tf.gradients`"):
        tf.GradientTape
    with pytest.raises(AttributeError, match="module 'weir.contrib' has no attribute 'tensorrt': .*"):
        tf.contrib.tensorrt
    with pytest.raises(AttributeError, match="^module 'weir' has no attribute 'no_such_name'$"):
        tf.no_such_name
    with pytest.raises(AttributeError, match="has no attribute 'GradientTape': Weir builds graphs"):
        tf.compat.v1.GradientTape


def test_an_import_that_fails_gives_the_reason():
    for line in ("import weir.contrib.tpu", "import weir.contrib.tpu.python.tpu", "from weir.contrib import tpu", "from weir.contrib.tpu import TPUEstimator"):
        with pytest.raises(ModuleNotFoundError, match=r"No module named 'weir\.contrib\.tpu.*': Weir runs on CPUs and GPUs. Instead: "):
            exec(line)
    with pytest.raises(ImportError, match="Weir builds graphs"):
        exec("from weir import GradientTape")
    with pytest.raises(ModuleNotFoundError, match="^No module named 'weir.no_such_module'$"):
        exec("import weir.no_such_module")


def test_a_refused_function_exists_and_raises_the_reason():
    assert hasattr(tf, "enable_eager_execution")
    with pytest.raises(NotImplementedError, match="^tf.enable_eager_execution: Weir builds graphs"):
        tf.enable_eager_execution()


def test_a_program_that_runs_as_tensorflow_gives_the_reason(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import tensorflow as tf\nassert not hasattr(tf, 'GradientTape')\nfrom tensorflow.contrib import tpu\n")
    result = subprocess.run([sys.executable, "-m", "weir", "run", program], capture_output=True, text=True)
    assert result.returncode == 1 and "No module named 'tensorflow.contrib.tpu': Weir runs on CPUs and GPUs. Instead: " in result.stderr


def test_the_reasons_are_read_only_when_a_name_is_missing():
    code = "import sys, weir as tf; tf.nn.relu; assert 'weir._missing' not in sys.modules; hasattr(tf, 'x'); assert 'weir._missing' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_no_name_has_two_entries():
    """Entries of a later table would replace those of an earlier one silently."""
    entries = {}
    for path in sorted((ROOT / "python/weir/api").glob("[a-z]*.py")):
        for name, target in importlib.import_module(f"weir.api.{path.stem}").NAMES.items():
            entries.setdefault(name, {})[path.stem] = target
    assert not {name: found for name, found in entries.items() if len(set(map(str, found.values()))) > 1}
