"""Tests that the type stubs match the package: every public name with its parameters, and nothing else."""
import ast
import importlib
import inspect
import keyword
import os
import pathlib
import subprocess
import sys

import pytest

import weir
from weir import _names

PACKAGE = pathlib.Path(weir.__file__).parent
STUBS = sorted(path for path in PACKAGE.rglob("*.pyi") if "aliases" not in path.parts)


def names_of(stub):
    """Returns the exports of a stub: {name: node}. Names that start with an underscore, or are imported without `as`,
    are private."""
    found = {}
    for node in ast.parse(stub.read_text(), str(stub)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):
            found[node.targets[0].id] = node
        elif isinstance(node, ast.ImportFrom):
            found.update({alias.asname: node for alias in node.names if alias.asname})
    return {name: node for name, node in found.items() if not name.startswith("_")}


def module_of(stub):
    return ".".join(stub.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def public_modules():
    return ["", *(name for name in sorted(_names.tables()[1]) if name.split(".")[0] != "python")]


@pytest.mark.parametrize("prefix", public_modules())
def test_every_public_name_is_in_the_stub(prefix):
    stub = PACKAGE.joinpath(*prefix.split(".")) / "__init__.pyi"
    described = names_of(stub)
    missing = []
    for name in _names.names_in(prefix + "." if prefix else ""):
        private = name.startswith("_") or keyword.iskeyword(name)  # some inner modules have private names that programs import
        if name not in described and not private and (prefix or name != "python"):
            missing.append(name)
    assert not missing


@pytest.mark.parametrize("stub", STUBS, ids=module_of)
def test_every_name_of_a_stub_exists(stub):
    module = importlib.import_module(module_of(stub))
    absent = [name for name in names_of(stub) if not hasattr(module, name)]
    assert not absent


@pytest.mark.parametrize("module", ["weir.ops.gen", "weir.raw_ops"])
def test_op_functions_have_their_parameters(module):
    described = names_of(PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".pyi"))
    functions = importlib.import_module(module)
    names = [name for name in dir(functions) if not keyword.iskeyword(name) and not name.startswith("_")]
    assert len(names) > 400
    for name in names:
        parameters = inspect.signature(getattr(functions, name)).parameters
        stub = described[name].args
        assert [a.arg for a in stub.args] == list(parameters), name
        assert len(stub.defaults) == sum(p.default is not p.empty for p in parameters.values()), name


def test_nearly_all_stubs_have_parameters():
    vague = []
    for stub in STUBS:
        for name, node in names_of(stub).items():
            if isinstance(node, ast.FunctionDef) and node.args.vararg is not None and not node.args.args:
                vague.append(f"{module_of(stub)}.{name}")
    # Only functions that really accept anything.
    assert all(callable(weir._names.find(name.removeprefix("weir."))) for name in vague)
    assert len(vague) <= 10, vague


PROGRAM = """
import weir as tf
import weir.nn
from weir.train import GradientDescentOptimizer

x = tf.placeholder(tf.float32, [None, 3])
y = tf.nn.softmax(tf.matmul(x, tf.Variable(tf.zeros([3, 2]), name="w")) + 1.0)
train = GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y, axis=[0, 1]))
t: tf.Tensor = tf.compat.v1.identity(x)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session, tf.name_scope("scope"):
    session.run([y, train], {x: [[1, 2, 3]]})
reveal_type(y)
reveal_type(tf.nn.top_k(y).values)
reveal_type(tf.raw_ops.Split(axis=0, value=x, num_split=2))
reveal_type(tf.float32)
tf.matmul(x)
tf.no_such_name
tf.argmax(x, dimesion=1)
"""


def test_a_type_checker_reads_them(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = dict(os.environ, MYPYPATH=str(PACKAGE.parent))
    environment.pop("PYTHONPATH", None)

    def mypy(*arguments):
        return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", *arguments], env=environment,
                              capture_output=True, text=True, cwd=tmp_path).stdout
    assert "Success: no issues found" in mypy("-p", "weir"), mypy("-p", "weir")
    said = [line.partition(": ")[2] for line in mypy(program).splitlines()]
    assert said[:4] == ['note: Revealed type is "weir._weir.Tensor"', 'note: Revealed type is "weir._weir.Tensor"',
                        'note: Revealed type is "builtins.list[weir._weir.Tensor]"', 'note: Revealed type is "weir._weir.DType"']
    assert len(said) == 8
    assert 'Missing positional argument "b"' in said[4]
    assert 'no attribute "no_such_name"' in said[5]
    assert 'Unexpected keyword argument "dimesion"' in said[6]
