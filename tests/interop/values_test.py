"""Graphs that TensorFlow made run the same on Weir: values, and gradients that Weir builds against those that TensorFlow builds."""
import numpy as np

import weir as tf


def tolerance(array):
    return dict(rtol=1e-9, atol=1e-9) if np.asarray(array).dtype == np.float64 else dict(rtol=2e-5, atol=2e-5)


def differences(case):
    """What is not as TensorFlow has it, as text; empty when all agrees."""
    with tf.Graph().as_default() as graph:
        definition = tf.GraphDef()
        definition.ParseFromString(case["graph"])
        tf.import_graph_def(definition, name="")
        with tf.Session(graph=graph) as sess:
            values = sess.run(case["fetches"], case["feeds"])
            for name, value, expected in zip(case["fetches"], values, case["values"]):
                if value.dtype != expected.dtype or value.shape != expected.shape:
                    return f"{name} is {value.dtype} {value.shape}, not {expected.dtype} {expected.shape}"
                if not np.allclose(value, expected, equal_nan=True, **tolerance(expected)) if expected.dtype != object else not (value == expected).all():
                    return f"{name} is {value}, not {expected}"
            if "grad_of" in case:
                xs = [graph.get_tensor_by_name(n) for n in case["grad_xs"]]
                grads = tf.gradients(graph.get_tensor_by_name(case["grad_of"]), xs)
                if any(g is None for g in grads):
                    return "no gradient for " + ", ".join(x.name for x, g in zip(xs, grads) if g is None)
                for x, value, expected in zip(xs, sess.run([tf.convert_to_tensor(g) for g in grads], case["feeds"]), case["grads"]):
                    if value.shape != expected.shape or not np.allclose(value, expected, equal_nan=True, rtol=1e-4, atol=1e-4):
                        return f"the gradient for {x.name} is {value}, not {expected}"
    return ""


def test_values_and_gradients(cases):
    failures = []
    for case in cases:
        try:
            text = differences(case)
        except Exception as error:  # an error is a difference too; the others still count
            text = f"{type(error).__name__}: {error}"
        if text:
            failures.append(f"{case['name']}: {text[:300]}")
    assert not failures, f"{len(failures)} of {len(cases)} cases differ:\n" + "\n".join(failures)
    assert len(cases) > 500
