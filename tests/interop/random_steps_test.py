"""Compares random steps of Weir with TensorFlow. A failure prints its seed; `check(seed)` replays it.

WEIR_RANDOM_STEPS=BEGIN:END runs other seeds. WEIR_RANDOM_ANSWERS=FILE caches TensorFlow's answers.
"""
import os
import pickle

import numpy as np
import pytest

import conftest
import portable
import random_steps
import weir as tf


def seeds():
    begin, end = os.environ.get("WEIR_RANDOM_STEPS", "0:300").split(":")
    return range(int(begin), int(end))


@pytest.fixture(scope="module")
def tensorflow_answers(tmp_path_factory):
    """Returns TensorFlow's answers by seed."""
    kept = os.environ.get("WEIR_RANDOM_ANSWERS")
    path = kept or tmp_path_factory.mktemp("random") / "steps.pkl"
    if not os.path.exists(path):
        conftest.run_tensorflow("ask_random_steps.py", path, seeds().start, seeds().stop)
    with open(path, "rb") as f:
        return portable.unpack(pickle.load(f), None)


def equal(got, wanted):
    """Compares gradients: arrays, None or names of errors."""
    if wanted is None or isinstance(wanted, str) or got is None or isinstance(got, str):
        return type(got) is type(wanted) and (got is None or got == wanted)
    return np.allclose(got, wanted, rtol=1e-7, atol=1e-10)


def check(seed, answer):
    """Runs the step with Weir. Returns a description of the difference, or None."""
    program = random_steps.draw(seed)
    values, gradients, variables = random_steps.run(tf, program)
    expected, left = random_steps.evaluate(program)
    their_values, their_gradients, their_variables = answer
    for name, value in expected.items():
        if not np.allclose(their_values[name], value, rtol=1e-9, atol=1e-12):
            return f"TensorFlow and the sequential execution differ in {name}"
        if not np.allclose(values[name], value, rtol=1e-9, atol=1e-12):
            return f"{name} is {values[name]}, not {value}"
    for i, value in enumerate(left):
        if not np.allclose(variables[i], value, rtol=1e-9, atol=1e-12):
            return f"variable {i} is {variables[i]}, not {value}"
    if len(gradients) != len(their_gradients):
        return f"{len(gradients)} gradients, not {len(their_gradients)}"
    for i, (got, wanted) in enumerate(zip(gradients, their_gradients)):
        if not equal(got, wanted):
            return f"gradient {i} is {got}, not {wanted}"
    return None


def test_random_steps_agree(tensorflow_answers):
    wrong = {seed: problem for seed in seeds() if (problem := check(seed, tensorflow_answers[seed])) is not None}
    assert not wrong


def test_gradients_agree_with_finite_differences():
    compared = 0
    for seed in seeds()[:60]:
        compared += check_by_differences(seed)
    assert compared > 50


def check_by_differences(seed):
    """Compares gradients with finite differences where the function is smooth. Returns how many were compared."""
    program = random_steps.draw(seed, max_updates=0)  # gradients do not go through updates
    wanted = program["gradients"]
    if wanted is None or wanted["stops"] or random_steps.stops_gradients(program["statements"]):
        return 0
    gradients = random_steps.run(tf, program)[1]
    scale = 0.5 if wanted["grad_ys"] else 1.0

    def total(name, index, step):
        values, _ = random_steps.evaluate(program, moved=(name, index, step))
        return scale * sum(np.sum(values[y]) for y in wanted["ys"])

    def slope(name, index, h):
        return (total(name, index, h) - total(name, index, -h)) / (2 * h)

    compared = 0
    for name, gradient in zip(wanted["xs"], gradients):
        shape = program["scope"][name]
        for index in np.ndindex(shape):
            coarse, fine = slope(name, index, 1e-4), slope(name, index, 1e-5)
            if abs(coarse - fine) > 1e-6:
                continue  # not smooth here
            value = 0.0 if gradient is None else gradient[index]
            assert abs(value - fine) < 1e-5, f"seed {seed}: d/d{name}{index} is {value}, not {fine}"
            compared += 1
    return compared
