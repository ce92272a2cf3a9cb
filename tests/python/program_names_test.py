"""Names and behaviour that programs of 2016-2019 rely on beside the documented API: star imports, inner sessions, copies of cells."""
import copy
import os
import subprocess
import sys

import numpy as np
import pytest
import weir as tf
from evaluation import evaluate
from weir._names import find

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))


def test_star_imports_bring_all_names():
    program = """
import weir._names
weir._names.install_as_tensorflow()
from tensorflow.contrib.seq2seq import *
from tensorflow.contrib.layers.python.layers import *
from tensorflow.contrib.data.python.ops.grouping import *
from tensorflow.python.layers.core import *
from tensorflow.contrib.rnn import *
print([thing.__name__ for thing in (BahdanauAttention, dynamic_decode, xavier_initializer, bucket_by_sequence_length, Dense, DropoutWrapper)])
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": PACKAGE}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(["BahdanauAttention", "dynamic_decode", "xavier_initializer", "bucket_by_sequence_length", "Dense",
                                       "DropoutWrapper"])


@pytest.mark.parametrize("module", ["contrib.layers", "contrib.slim", "contrib.rnn", "contrib.framework", "contrib.training", "contrib.data",
                                    "train", "layers", "losses"])
def test_all_names_of_a_star_import_exist(module):
    names = find(module).__all__
    assert len(names) > 10 and all(getattr(find(module), name) is not None for name in names)


def test_inner_sessions_of_a_monitored_session():
    x = tf.constant(3.0)
    with tf.train.MonitoredTrainingSession() as session:
        raw = session._tf_sess()
        assert isinstance(raw, tf.Session) and session._sess._sess._sess._sess is raw
        assert raw.run(x) == session._sess.run(x) == 3.0 and session._sess.graph is x.graph
    with tf.train.SingularMonitoredSession() as session:
        assert session._sess._sess._sess is session._tf_sess() is session.raw_session()


def test_a_string_handle_is_there_before_the_graph_is_finalized():
    dataset = tf.data.Dataset.range(3)
    one_shot, initializable = dataset.make_one_shot_iterator(), dataset.make_initializable_iterator()
    handle = tf.placeholder(tf.string, [])
    next_element = tf.data.Iterator.from_string_handle(handle, dataset.output_types, dataset.output_shapes).get_next()
    with tf.train.MonitoredTrainingSession() as session:
        first, second = session.run([one_shot.string_handle(), initializable.string_handle()])
        session.run(initializable.initializer)
        assert [session.run(next_element, {handle: h}) for h in (first, second, first)] == [0, 0, 1]
    assert one_shot.string_handle() is one_shot.string_handle() and one_shot.string_handle("again") is not one_shot.string_handle()


def test_a_copy_of_a_used_cell_is_unused():
    keep = tf.placeholder_with_default(1.0, [])
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(3), input_keep_prob=keep) for _ in range(2)])
    x = [tf.ones([2, 3])] * 2
    with tf.variable_scope("first"):
        tf.nn.static_rnn(cell, x, dtype=tf.float32)
    other = copy.deepcopy(cell)
    assert cell.variables and not other.variables and other.state_size == cell.state_size
    with tf.variable_scope("second"):
        tf.nn.static_rnn(other, x, dtype=tf.float32)
    assert [v.name.replace("second", "first") for v in other.variables] == [v.name for v in cell.variables]
    dense = tf.layers.Dense(2, name="dense")
    dense(x[0])
    again = copy.deepcopy(dense)
    again(tf.ones([2, 5]))
    assert [w.shape.as_list() for w in dense.weights + again.weights] == [[3, 2], [2], [5, 2], [2]]


def test_buckets_of_one_cell_share_their_variables():
    legacy = tf.contrib.legacy_seq2seq
    cell = tf.nn.rnn_cell.GRUCell(4)
    words = [tf.zeros([2], tf.int32)] * 5

    def seq2seq(encoder_inputs, decoder_inputs):
        return legacy.embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, 6, 6, 3)
    _, losses = legacy.model_with_buckets(words, words, words, [tf.ones([2])] * 5, [(2, 3), (4, 5)], seq2seq)
    names = [v.name for v in tf.trainable_variables()]
    assert len(names) == len(set(names)) and sum("rnn/embedding_wrapper/gru_cell/gates/kernel" in name for name in names) == 1
    assert all(None not in tf.gradients(loss, tf.trainable_variables()) for loss in losses)


def test_a_custom_getter_of_the_program_sees_reuse_in_layers_of_contrib():
    seen = []

    def getter(inner, name, *args, **kwargs):
        seen.append((name, bool(kwargs.get("reuse"))))
        return inner(name, *args, **kwargs)
    x = tf.ones([2, 3])
    with tf.variable_scope(tf.get_variable_scope(), custom_getter=getter):
        for reuse in (False, True):
            with tf.variable_scope("net", reuse=reuse):
                tf.contrib.layers.fully_connected(x, 4)
    assert seen == [(f"net/fully_connected/{name}", reuse) for reuse in (False, True) for name in ("weights", "biases")]
    assert len(tf.global_variables()) == 2


@pytest.mark.parametrize("passes_reuse", [False, True])
def test_a_custom_getter_takes_the_name_by_keyword_and_decides_about_reuse(passes_reuse):
    def getter(getter, *args, **kwargs):
        assert not args and kwargs["name"] in ("v", "w")
        if not passes_reuse:
            kwargs.pop("reuse")
        return getter(*args, **kwargs)
    with tf.variable_scope("", custom_getter=getter):
        v = tf.get_variable("v", [2])
        if passes_reuse:
            with pytest.raises(ValueError, match="already exists"):
                tf.get_variable("v", [2])
        else:
            assert tf.get_variable("v", [2]) is v
    with tf.variable_scope("", custom_getter=lambda getter, name, **kwargs: getter(name, kwargs["shape"], tf.float64)):
        assert tf.get_variable("w", [3]).dtype.base_dtype == tf.float64
    with tf.variable_scope("", custom_getter=lambda getter, **kwargs: getter()), pytest.raises(TypeError, match="needs its name"):
        tf.get_variable("x", [3])


def test_averages_without_bias_have_their_variables_below_the_scope():
    moving_average = find("python.training.moving_averages.assign_moving_average")
    v = tf.get_variable("v", initializer=[1.0])
    for reuse in (False, None, True):
        with tf.variable_scope("scope", reuse=reuse):
            moving_average(v, [2.0], 0.9)
    assert [u.op.name for u in tf.global_variables()] == ["v", "scope/v/biased", "scope/v/local_step", "scope/v/biased_1", "scope/v/local_step_1"]


def test_round_robin_of_a_program():
    choose = find("python.training.device_setter._RoundRobinStrategy")(2)
    assert [choose(None) for _ in range(3)] == [0, 1, 0]


# --- tf.contrib.predictor ---
def export(folder):
    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.get_variable("w", initializer=3.0)
    with tf.Session() as session:
        session.run(w.initializer)
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": x * w, "z": x + w})


def test_predictor_of_a_saved_model(tmp_path):
    export(str(tmp_path / "model"))
    predict = tf.contrib.predictor.from_saved_model(str(tmp_path / "model"))
    found = predict({"x": [1.0, 2.0]})
    assert found["y"].tolist() == [3, 6] and found["z"].tolist() == [4, 5]
    assert sorted(predict.fetch_tensors) == ["y", "z"] and predict.graph is not tf.get_default_graph() and predict.session.graph is predict.graph
    assert repr(predict).startswith("SavedModelPredictor with feed tensors {'x': ")
    with pytest.raises(ValueError, match="Got unexpected keys in input_dict: {'q'}"):
        predict({"q": 1})
    by_name = tf.contrib.predictor.from_saved_model(str(tmp_path / "model"), input_names={"a": "x:0"}, output_names={"b": "add:0"})
    assert by_name({"a": [1.0]})["b"].tolist() == [4]
    for wrong, text in (({"input_names": {}}, "must both be specified"), ({"signature_def_key": "none"}, "Available signatures are"),
                        ({"signature_def_key": "a", "input_names": {}, "output_names": {}}, "at most one of")):
        with pytest.raises(ValueError, match=text):
            tf.contrib.predictor.from_saved_model(str(tmp_path / "model"), **wrong)


def linear(features, labels, mode):
    w = tf.get_variable("w", initializer=2.0)
    y = features["x"] * w
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"y": y}, export_outputs={"double": tf.estimator.export.PredictOutput({"y": y})})
    loss = tf.reduce_sum(y)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(0.5).minimize(loss, tf.train.get_global_step()))


def inputs():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [0.0]))


def test_predictor_of_an_estimator(tmp_path):
    estimator = tf.estimator.Estimator(linear, str(tmp_path))
    estimator.train(inputs)

    def serving():
        x = tf.placeholder(tf.float32, [None])
        return tf.estimator.export.ServingInputReceiver({"x": x}, {"in": x})
    predict = tf.contrib.predictor.from_estimator(estimator, serving, output_key="double")
    assert predict({"in": [2.0]})["y"].tolist() == [3.0] and list(predict.feed_tensors) == ["in"]
    with pytest.raises(KeyError, match="output_key must be one of"):
        tf.contrib.predictor.from_estimator(estimator, serving, output_key="none")
    with pytest.raises(TypeError, match="to be of type tf.estimator.Estimator"):
        tf.contrib.predictor.from_estimator(linear, serving)


# --- tf.contrib.estimator ---
def test_forward_features(tmp_path):
    estimator = tf.estimator.Estimator(linear, str(tmp_path))
    estimator.train(inputs)
    forwarding = tf.contrib.estimator.forward_features(estimator, "x")
    assert [(p["x"], p["y"]) for p in forwarding.predict(lambda: inputs().map(lambda f, l: f))] == [(1.0, 1.5)]
    with pytest.raises(ValueError, match="Key \\(q\\) is not in features"):
        next(tf.contrib.estimator.forward_features(estimator, ["q"]).predict(lambda: inputs().map(lambda f, l: f)))


def test_clip_gradients_by_norm():
    v = tf.get_variable("v", initializer=[3.0, 4.0])
    clipping = tf.contrib.estimator.clip_gradients_by_norm(tf.train.MomentumOptimizer(1.0, 0.9), 1.0)
    train = clipping.minimize(tf.reduce_sum(v * v))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert np.allclose(session.run(v), [3.0 - 0.6, 4.0 - 0.8])
    assert clipping.get_slot_names() == ["momentum"] and clipping.get_slot(v, "momentum") is not None
    assert clipping.get_name() == "ClipByNormMomentum"


def test_heads_of_contrib():
    contrib = tf.contrib.estimator
    heads = [contrib.multi_class_head(3, name="c"), contrib.regression_head(label_dimension=2, name="r"), contrib.binary_classification_head(),
             contrib.multi_label_head(4), contrib.poisson_regression_head(), contrib.logistic_regression_head()]
    assert [head.logits_dimension for head in heads] == [3, 2, 1, 4, 1, 1] and contrib.multi_head(heads[:2]).logits_dimension == 5
    loss = heads[1].create_loss({}, "train", tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 4.0]]))
    assert evaluate(loss.training_loss) == 2.5 and evaluate(loss.unreduced_loss).tolist() == [[1.0, 4.0]]


# --- small modules ---
def test_reductions_of_nccl():
    x = [tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])]
    nccl = tf.contrib.nccl
    for reduce, wanted in ((nccl.all_sum, [4, 7]), (nccl.all_prod, [3, 10]), (nccl.all_min, [1, 2]), (nccl.all_max, [3, 5])):
        assert [evaluate(y).tolist() for y in reduce(x)] == [wanted, wanted]
    assert evaluate(nccl.reduce_sum(x)).tolist() == [4, 7] and evaluate(nccl.broadcast(x[0])).tolist() == [1, 2]
    with tf.device("/cpu:0"):
        y = tf.constant(1.0)
    assert nccl.all_sum([y, y])[0].device == y.device
    with pytest.raises(ValueError, match="Must pass >0 tensors"):
        nccl.all_sum([])


def test_data_sets_in_files(tmp_path, capsys):
    base = find("contrib.learn.python.learn.datasets.base")
    (tmp_path / "a.csv").write_text("3,2,x,y\n1.5,2,0\n3,4,1\n5,6,1\n")
    found = base.load_csv_with_header(str(tmp_path / "a.csv"), target_dtype=int, features_dtype=np.float32)
    assert found.data.tolist() == [[1.5, 2], [3, 4], [5, 6]] and found.target.tolist() == [0, 1, 1] and found.data.dtype == np.float32
    (tmp_path / "b.csv").write_text("9,1,2\n8,3,4\n7,5,6\n")
    found = base.load_csv_without_header(str(tmp_path / "b.csv"), np.int64, np.int64, target_column=0)
    assert found.data.tolist() == [[1, 2], [3, 4], [5, 6]] and found.target.tolist() == [9, 8, 7]
    base.shrink_csv(str(tmp_path / "b.csv"), 2)
    assert (tmp_path / "b_small.csv").read_text().split() == ["9,1,2", "7,5,6"]
    (tmp_path / "a.csv").write_text("4,2\n1,2,0\n")
    with pytest.raises(ValueError, match="the header says 4 rows of 2 features; found 1 rows"):
        base.load_csv_with_header(str(tmp_path / "a.csv"), int, float)
    for _ in range(2):
        path = base.maybe_download("c.csv", str(tmp_path / "new"), (tmp_path / "b.csv").as_uri())
    assert open(path).read() == (tmp_path / "b.csv").read_text() and capsys.readouterr().out.startswith("Successfully downloaded c.csv 18 bytes.")


def test_sizes_of_variables_name_their_types(capsys):
    v = tf.get_variable("v", [2, 3])
    tf.contrib.slim.model_analyzer.analyze_vars([v], print_info=True)
    assert "v:0 (float32_ref 2x3) [6, bytes: 24]" in capsys.readouterr().out


# --- tf.contrib.image. tests/interop/both/small_answers.py compares transform with TensorFlow's op. ---
def test_rotated_and_moved_images():
    image = tf.contrib.image
    x = tf.reshape(tf.range(1, 10), [3, 3])
    assert evaluate(image.rotate(x, np.pi / 2)).tolist() == np.rot90(np.arange(1, 10).reshape(3, 3)).tolist()
    batch = tf.placeholder_with_default(np.arange(18, dtype=np.float32).reshape(2, 3, 3, 1), [None, 3, 3, 1])
    turned = image.rotate(batch, tf.constant([0.0, np.pi]), interpolation="BILINEAR")
    assert turned.shape.as_list()[1:] == [3, 3, 1]
    assert np.allclose(evaluate(turned)[:, :, :, 0].reshape(2, 9), [np.arange(9), np.arange(17, 8, -1)], atol=1e-4)
    assert evaluate(image.translate(x, [1, 0])).tolist() == [[0, 1, 2], [0, 4, 5], [0, 7, 8]]
    assert image.transform(x, [1] + [0] * 7, output_shape=[2, 5]).shape.as_list() == [2, 5]


def test_transforms_are_composed():
    image = tf.contrib.image
    shift, turn = image.translations_to_projective_transforms([2.0, -1.0]), image.angles_to_projective_transforms(0.3, 5, 4)
    composed, both = evaluate(image.compose_transforms(shift, turn)), evaluate(image.matrices_to_flat_transforms(
        tf.matmul(image.flat_transforms_to_matrices(shift), image.flat_transforms_to_matrices(turn))))
    assert np.allclose(composed, both) and composed.shape == (1, 8)
    images = tf.random_uniform([1, 5, 4, 1], seed=1)
    x = tf.Variable(images)
    dx, = tf.gradients(image.transform(x, shift), x)
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run(dx)[0, :, :, 0].tolist() == [[0, 0, 0, 0]] + [[1, 1, 0, 0]] * 4
    for wrong, error in ((lambda: image.rotate(tf.zeros([2]), 0.0), TypeError), (lambda: image.transform(images, [1.0, 2.0], "CUBIC"), ValueError),
                         (lambda: image.rotate(tf.constant("a", shape=[1, 1]), 0.0), TypeError), (lambda: image.compose_transforms(), ValueError),
                         (lambda: image.transform(images, [0.0] * 8, output_shape=[1, 2, 3]), ValueError)):
        with pytest.raises(error):
            wrong()
