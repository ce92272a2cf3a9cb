"""Runs programs on both engines: same values after every step, same names, and each can run the graphs of the other."""
import pickle
import re

import pytest

import portable
import weir as tf
from both import PROGRAMS
from both.program import run, run_graph_def
from compare import difference
from conftest import run_tensorflow

# Errors accumulate over steps.
FACTOR = 5


@pytest.fixture(scope="session")
def theirs(load):
    return load("programs")


@pytest.fixture(scope="session")
def ours():
    results = {}
    for name, program in PROGRAMS.items():
        try:
            results[name] = run(tf, program)
        except Exception as error:  # reported by the tests of that program
            results[name] = error
    return results


@pytest.fixture(scope="session")
def reread(ours, answers):
    """Returns TensorFlow's results for Weir's graphs."""
    written = {name: result for name, result in ours.items() if not isinstance(result, Exception)}
    (answers / "weir_programs.pkl").write_bytes(pickle.dumps(portable.pack(written)))
    run_tensorflow("read_graphs.py", answers / "weir_programs.pkl", answers / "reread.pkl")
    return portable.unpack(pickle.loads((answers / "reread.pkl").read_bytes()), tf.bfloat16.as_numpy_dtype)


def assert_same(labels, values, expected):
    assert len(values) == len(expected)
    problems = [text for step, (row, wanted) in enumerate(zip(values, expected)) for label, a, b in zip(labels, row, wanted)
                if (text := difference(f"step {step}: {label}", a, b, FACTOR))]
    assert not problems, "\n".join(problems[:5])


def result_of(ours, name):
    if isinstance(ours[name], Exception):
        raise ours[name]
    return ours[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(ours, theirs, name):
    mine, wanted = result_of(ours, name), theirs[name]
    assert_same(mine["labels"], mine["values"], wanted["values"])


# Op types whose nodes users refer to by name: in checkpoints, feeds and graph views.
NAMED = re.compile("VariableV2|VarHandleOp|Assign.*|Placeholder.*|(Resource)?(Sparse)?Apply.*|Scatter.*|Random.*|Truncated.*|Multinomial|Exit|Merge|"
                   "LoopCond|TensorArrayV3")
# Names that may differ: a regular expression, and the reason.
DIFFERENT = {
    r"(.*/)?Const(_\d+)?|.*/(ReadVariableOp|Const)(_\d+)?": "constants and reads made on the way are named after what uses them",
    r"ReadVariableOp(_\d+)?": "a read for an operator is not put in the operator's scope",
    r"(.*/)?gradients(_\d+)?/.*": "what computes a gradient inside",
    r"NextIteration(_1)?": "part of a gradient inside, too: TensorFlow closes loop variables without a gradient outside of its scope",
    r"Gather(V2)?": "a resource variable is read before rows are taken",
    r"sum|(ReduceLogSumExp|random_normal|truncated_normal|random_uniform|PolynomialDecay)(/.*)?|.*/Initializer/random_uniform": "Add, as in 1.15; 2.21 has AddV2, and leaves out a range of 0 to 1",
    r"Tensordot/MatMul|einsum.*|Tensordot": "1.15 reshapes the product; 2.21 has an op for einsum",
    r"(adjust_brightness|random_uniform)(_\d+)?": "Add, as in 1.15; 2.21 has AddV2",
    r"dropout/.*": "1.15 multiplies by a mask, 2.21 selects",
    r".*(Assert/AssertGuard/.*|Assert)": "an assertion needs no branch around it here",
    r"Exp|Neg|ExponentialDecay|NaturalExpDecay": "2.21 makes one decay from another",
    r"(cond(_\d+)?|.*/ExponentialMovingAverage|.*/Initializer)/.*|IsVariableInitialized(_\d+)?": "how a variable's initialized value is found",
    r"SGDRDecay/.*|PiecewiseConstant/.*": "how a rate is computed inside",
    r"(IndexedSlices/)?(UnsortedSegmentSum|StridedSlice|strided_slice)(_\d+)?": "a gradient turned dense has a scope",
    r".*_at_.*/(assert_broadcastable|expand_labels|cond)/.*": "labels without their last dimension and weights are mostly settled while the graph is built",
    r"MS-SSIM/Scale\d/cond/.*": "pooling takes sizes that are odd as they are: no branch pads them",
    r"(.*/)?(zeros|ones)(_like)?(_\d+)?": "short constants: 2.21 fills where 1.15 has a constant",
}


def held_names(recorded):
    """Returns the names that users may depend on: top-level nodes, state, and every fetched tensor."""
    looked_at = {fetch.split(":")[0] for fetch in recorded["fetches"]}
    return {(name, kind) for name, kind in map(tuple, recorded["nodes"])
            if "/" not in name or name in looked_at or name.endswith("/read") or NAMED.fullmatch(kind)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_names(ours, theirs, name):
    mine, wanted = held_names(result_of(ours, name)), held_names(theirs[name])
    left = sorted(node for node in mine ^ wanted if not any(re.fullmatch(pattern, node[0]) for pattern in DIFFERENT))
    text = ["+ %s (%s)" % node if node in mine else "- %s (%s)" % node for node in left]
    assert not left, f"{len(left)} nodes; + only Weir has, - only TensorFlow:\n" + "\n".join(text[:40])
    assert len(mine & wanted) >= 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_reads_tensorflow_graph(theirs, name):
    wanted = theirs[name]
    assert_same(wanted["labels"], run_graph_def(tf, wanted), wanted["values"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensorflow_reads_graph(ours, reread, name):
    mine = result_of(ours, name)
    assert not isinstance(reread[name], str), reread[name]
    assert_same(mine["labels"], reread[name], mine["values"])
