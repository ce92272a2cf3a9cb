"""TensorFlow loads saved models that Weir writes, and vice versa."""
import json

import pytest

import weir as tf
from both import saved_models
from conftest import run_tensorflow


@pytest.fixture(scope="module")
def uses(tmp_path_factory):
    """Returns the result of using each library's model with each library, by (reader, writer)."""
    root = tmp_path_factory.mktemp("saved_models")
    words, ours, theirs, out = (root / name for name in ["words", "weir", "tensorflow", "out"])
    words.write_text("some words")
    saved_models.write(tf, str(ours), str(words))
    run_tensorflow("exchange_saved_models.py", words, ours, theirs, out)
    by_tensorflow = json.loads(out.read_text())
    return {("tensorflow", "weir"): by_tensorflow[0], ("tensorflow", "tensorflow"): by_tensorflow[1],
            ("weir", "weir"): saved_models.use(tf, str(ours)), ("weir", "tensorflow"): saved_models.use(tf, str(theirs))}


@pytest.mark.parametrize("reader", ["weir", "tensorflow"])
@pytest.mark.parametrize("writer", ["weir", "tensorflow"])
def test_a_model_is_the_same_to_every_reader(uses, reader, writer):
    found = uses[reader, writer]
    assert (found["y"], found["text"]) == ([[43.0]], "some words")
    assert found == uses["tensorflow", writer]


def test_models_of_both_are_alike(uses):
    assert uses["weir", "weir"] == uses["tensorflow", "tensorflow"]
