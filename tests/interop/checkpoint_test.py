"""TensorFlow reads checkpoints, meta graphs and records that Weir writes, and vice versa."""
import os
import pickle

import numpy as np
import pytest

import checkpoint_values
import portable
import weir as tf
from conftest import run_tensorflow


@pytest.fixture(scope="module")
def exchanged(tmp_path_factory):
    """Returns Weir's folder, TensorFlow's folder, the final values of Weir's model, and what TensorFlow read and
    computed."""
    root = tmp_path_factory.mktemp("checkpoints")
    weirs, own = root / "weir", root / "tensorflow"
    os.makedirs(weirs / "model")
    os.makedirs(own)
    checkpoint_values.write_all(tf, str(weirs))
    checkpoint_values.write_v1(tf, str(weirs))
    trained = checkpoint_values.train_model(tf, str(weirs / "model"))
    for kind in ("", "GZIP", "ZLIB"):
        with tf.python_io.TFRecordWriter(str(weirs / f"records{kind}"), tf.python_io.TFRecordOptions(kind)) as writer:
            writer.write(b"one")
            writer.write(b"x" * 100_000)
    run_tensorflow("exchange_checkpoints.py", weirs, own, root / "found.pkl")
    with open(root / "found.pkl", "rb") as file:
        found = portable.unpack(pickle.load(file), tf.bfloat16.as_numpy_dtype)
    return str(weirs), str(own), trained, found


def expected(name, value):
    if value.dtype == object:
        return [[text.encode() for text in row] for row in value]
    if name.endswith("bfloat16"):
        return (value.view(np.uint32) + 0x8000 >> 16 << 16).astype(np.uint32).view(np.float32).tolist()
    return value.tolist()


def check_read(found):
    values = checkpoint_values.values()
    assert found["shapes"] == {name: list(value.shape) for name, value in values.items()}
    for name, value in values.items():
        wanted = {"types/bfloat16": "bfloat16", "types/string": "string"}.get(name, value.dtype.name)
        assert found["dtypes"][name] == wanted
        assert np.asarray(found["all"][name]).tolist() == expected(name, value), name
    for cuts in found["cuts"].values():
        for spec, value in zip(checkpoint_values.CUTS, cuts):
            assert value.tolist() == checkpoint_values.cut(spec).tolist(), spec
    x, y, p = found["merged"]
    assert (x, bytes(y) if isinstance(y, bytes) else np.asarray(y).item()) == (1, b"why")
    assert p.tolist() == checkpoint_values.WHOLE.tolist()


def test_tensorflow_reads_bundles_of_weir(exchanged):
    check_read(exchanged[3]["read"])


def test_weir_reads_bundles_of_tensorflow(exchanged):
    check_read(checkpoint_values.read_all(tf, exchanged[1]))


def check_model(one, other):
    assert set(one) == set(other)
    for name, value in one.items():
        np.testing.assert_allclose(value, other[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_tensorflow_continues_a_model_of_weir(exchanged):
    check_model(exchanged[2], exchanged[3]["continued"])


def test_weir_continues_a_model_of_tensorflow(exchanged):
    check_model(exchanged[3]["trained"], checkpoint_values.continue_model(tf, exchanged[1] + "/model"))


def test_both_train_alike(exchanged):
    check_model(exchanged[2], exchanged[3]["trained"])


def check_v1(found, names):
    values = checkpoint_values.values()
    assert len(names) >= 10 and set(found["all"]) == set(names)
    for name in names:
        assert np.asarray(found["all"][name]).tolist() == expected(name, values[name]), name
    assert found["whole"].tolist() == checkpoint_values.WHOLE.tolist()
    for spec, value in zip(checkpoint_values.CUTS, found["cuts"]):
        assert value.tolist() == checkpoint_values.cut(spec).tolist(), spec
    for v, parts in found["restored"]:
        assert v.tolist() == [1, 2] and parts.tolist() == np.ones([6, 4]).tolist()
    assert found["latest"] == "v1_saver"


def test_weir_reads_the_first_format(exchanged):
    _, folder, _, found = exchanged
    check_v1(checkpoint_values.read_v1(tf, folder, found["v1"]), found["v1"])


def test_tensorflow_reads_the_first_format(exchanged):
    """Weir writes format V1 like TensorFlow."""
    found = exchanged[3]
    check_v1(found["read_v1"], found["v1"])


def test_records(exchanged):
    _, folder, _, found = exchanged
    records = [b"one", b"x" * 100_000]
    for kind in ("", "GZIP", "ZLIB"):
        assert [bytes(record) for record in found["records"][kind]] == records
        assert list(tf.python_io.tf_record_iterator(f"{folder}/records{kind}", tf.python_io.TFRecordOptions(kind))) == records
