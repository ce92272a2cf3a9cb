"""Runs TensorFlow's graphs on Weir and compares values, TensorFlow's gradient nodes, and gradients built by Weir."""
import pytest

import weir as tf
from compare import GRADIENT_FACTOR, difference
from conftest import HERE

GROUPS = sorted(path.stem[:-len("_cases")] for path in (HERE / "oracle").glob("*_cases.py"))


def imported(case):
    definition = tf.GraphDef()
    definition.ParseFromString(case["graph"])
    tf.import_graph_def(definition, name="")


def differences(case):
    """Describes the differences from TensorFlow; empty if there are none."""
    with tf.Graph().as_default() as graph:
        imported(case)
        with tf.Session(graph=graph) as sess:
            if "error" in case:
                return wrong_error(sess, case)
            own = case.get("grad_fetches", [])
            values = sess.run(case["fetches"] + own, case["feeds"])
        for name, value, expected in zip(case["fetches"], values, case["values"]):
            if text := difference(name, value, expected):
                return text
        for name, value, expected in zip(own, values[len(case["fetches"]):], case.get("grads", [])):
            if text := difference(f"TensorFlow's gradient {name}", value, expected, GRADIENT_FACTOR):
                return text
        return wrong_gradient(graph, case) if "grad_of" in case else ""


def wrong_gradient(graph, case):
    if any(op.type == "Exit" for op in graph.get_operations()):
        return ""  # neither library can differentiate an imported loop
    xs = [graph.get_tensor_by_name(n) for n in case["grad_xs"]]
    grads = tf.gradients(graph.get_tensor_by_name(case["grad_of"]), xs)
    if any(g is None for g in grads):
        return "no gradient for " + ", ".join(x.name for x, g in zip(xs, grads) if g is None)
    # A new session, in which random ops start over.
    with tf.Session(graph=graph) as sess:
        values = sess.run([tf.convert_to_tensor(g) for g in grads], case["feeds"])
    for x, value, expected in zip(xs, values, case["grads"]):
        if text := difference(f"the gradient for {x.name}", value, expected, GRADIENT_FACTOR):
            return text
    return ""


def wrong_error(sess, case):
    try:
        sess.run(case["fetches"], case["feeds"])
    except tf.OpError as error:
        if type(error).__name__ != case["error"]:
            return f"{type(error).__name__} ({error.message}), not {case['error']} ({case['message']})"
        return ""
    return f"no error; TensorFlow has {case['error']} ({case['message']})"


@pytest.mark.parametrize("group", GROUPS)
def test_cases(load, group):
    failures = []
    cases = load(group)
    for case in cases:
        try:
            text = differences(case)
        except Exception as error:  # an error is a difference too; continue with the other cases
            text = f"{type(error).__name__}: {error}"
        if text:
            failures.append(f"{case['name']}: {text[:400]}")
    assert cases
    assert not failures, f"{len(failures)} of {len(cases)} cases differ:\n" + "\n".join(failures)
