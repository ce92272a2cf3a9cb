"""Tests tf.keras in graph mode: names, models as containers, calls that are refused. tests/interop compares values with TensorFlow."""
import subprocess
import sys

import numpy as np
import pytest

import weir as tf

K = tf.keras.backend
layers = tf.keras.layers


@pytest.fixture(autouse=True)
def no_keras_session():
    yield
    K.set_session(None)


def names(variables):
    return [v.name for v in variables]


def test_a_layer_names_its_variables_after_itself():
    x = tf.placeholder(tf.float32, [None, 4])
    dense = layers.Dense(3)
    assert (dense.name, dense.built, dense.weights) == ("dense", False, [])
    assert (dense(x).name, dense(x).name) == ("dense/BiasAdd:0", "dense_1/BiasAdd:0")
    assert names(dense.weights) == ["dense/kernel:0", "dense/bias:0"] and dense.kernel.op.type == "VarHandleOp"
    with tf.variable_scope("scope"):
        assert names(layers.Dense(2)(x).op.inputs[0].op.inputs[1].op.inputs) == ["scope/dense_1/kernel:0"]
    assert len(tf.trainable_variables()) == 4 and tf.losses.get_regularization_losses() == []


def test_losses_and_updates_belong_to_the_layer():
    x = tf.placeholder(tf.float32, [None, 4])
    dense = layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(0.5), activity_regularizer=tf.keras.regularizers.l1(1.0),
                         kernel_initializer="ones")
    dense(x)
    norm = layers.BatchNormalization()
    norm(x, training=True)
    assert len(norm.updates) == 2 and tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(dense.losses, {x: [[1, 0, 0, 1], [1, 1, 0, 0]]}) == [6, 6]
        sess.run(norm.updates, {x: [[1, 0, 0, 1], [1, 2, 0, 0]]})
        np.testing.assert_allclose(sess.run(norm.moving_mean), [0.01, 0.01, 0, 0.005], rtol=1e-5)


def test_training_is_inherited_or_the_learning_phase():
    class Twice(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dropout = layers.Dropout(0.5)

        def call(self, inputs, training=None):
            return self.dropout(inputs)
    x = tf.ones([100])
    twice = Twice()
    values = [twice(x, training=True), twice(x, training=False), twice(x)]
    with tf.Session() as sess:
        assert [0 in y for y in sess.run(values)] == [True, False, False]
        assert 0 in sess.run(values[2], {K.learning_phase(): True})
    with K.learning_phase_scope(1):
        assert K.learning_phase() == 1
    assert K.in_train_phase(1, 2, training=False) == 2


def test_a_functional_model_shares_layers_and_is_called_again():
    a, b = tf.keras.Input((4,)), tf.keras.Input((4,))
    shared = layers.Dense(3)
    joined = layers.concatenate([shared(a), shared(b)])
    model = tf.keras.Model([a, b], layers.Dense(1)(joined))
    assert [layer.name for layer in model.layers] == ["input_1", "input_2", "dense", "concatenate", "dense_1"]
    # The second call of the shared layer has taken the name scope dense_1.
    assert names(model.weights) == ["dense/kernel:0", "dense/bias:0", "dense_1_1/kernel:0", "dense_1_1/bias:0"]
    assert (model.input_shape, model.output_shape, model.count_params()) == ([(None, 4), (None, 4)], (None, 1), 22)
    x = tf.ones([2, 4])
    y = model([x, x])
    assert y.name == "model/dense_1_1/BiasAdd:0" and len(tf.global_variables()) == 4
    session = K.get_session()
    fed = session.run(model.output, {a: np.ones([2, 4]), b: np.ones([2, 4])})
    np.testing.assert_allclose(session.run(y), fed, rtol=1e-6)
    rows = []
    model.summary(print_fn=rows.append)
    assert any("concatenate (Concatenate)" in row and "'dense[0][0]'" in row for row in rows)
    with pytest.raises(ValueError, match="outside of layers"):
        tf.keras.Model(a, shared(a) * 2)
    with pytest.raises(ValueError, match="Graph disconnected"):
        tf.keras.Model(a, model.output)


def test_a_sequential_model_is_built_early_or_late():
    early = tf.keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)])
    assert names(early.weights)[2] == "dense_1/kernel:0" and early.inputs[0].name == "dense_input:0" and early.output_shape == (None, 2)
    late = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    assert late.weights == []
    x = tf.ones([2, 4])
    assert early(x).name == "sequential/dense_1/BiasAdd:0"
    late(x)
    assert names(late.weights)[0] == "sequential_1/dense_2/kernel:0"
    early.pop()
    assert early.output_shape == (None, 3)
    copy = tf.keras.models.model_from_json(early.to_json())
    assert copy.count_params() == early.count_params() and copy.weights[0] is not early.weights[0]


def test_weights_are_saved_as_a_checkpoint_of_the_layers(tmp_path):
    def make():
        return tf.keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)])
    first, second = make(), make()
    first.save_weights(str(tmp_path / "w"))
    assert [name for name, _ in tf.train.list_variables(str(tmp_path / "w"))][1:3] == [
        "layer_with_weights-0/bias/.ATTRIBUTES/VARIABLE_VALUE", "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"]
    second.load_weights(str(tmp_path / "w")).assert_consumed()
    for mine, loaded in zip(first.get_weights(), second.get_weights()):
        np.testing.assert_array_equal(mine, loaded)
    second.set_weights([np.zeros_like(w) for w in second.get_weights()])
    assert not any(w.any() for w in second.get_weights())
    with pytest.raises(NotImplementedError, match="HDF5"):
        first.save_weights(str(tmp_path / "w.h5"))


def test_a_model_class_trains_with_an_optimizer_of_tf_train():
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = [layers.Dense(8, activation="tanh") for _ in range(2)]
            self.out = layers.Dense(1)

        def call(self, x, training=False):
            for layer in self.hidden:
                x = layer(x)
            return self.out(x)
    tf.set_random_seed(1)
    x = tf.constant(np.linspace(-1, 1, 16, dtype=np.float32)[:, None])
    net = Net()
    loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(x * x, net(x)))
    train = tf.train.AdamOptimizer(0.02).minimize(loss, var_list=net.trainable_weights)
    assert len(net.weights) == 6 and names(net.weights)[0] == "net/dense/kernel:0"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss)
        for _ in range(100):
            sess.run(train)
        assert sess.run(loss) < before / 5


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Ftrl"])
def test_keras_optimizers_update_in_graph_mode(name):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    optimizer = tf.keras.optimizers.get(name)
    updates = optimizer.get_updates(tf.reduce_sum(v * v), [v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(updates)
        assert (sess.run(v) < [1, 2]).all() and sess.run(optimizer.iterations) == 1


@pytest.mark.parametrize("use_resource", [True, False])
@pytest.mark.parametrize("rows", [None, [0, 2]])
def test_adam_with_amsgrad(use_resource, rows):
    start = np.array([[1, -2], [3, 4], [-0.5, 0.25]])
    v = tf.Variable(start.astype(np.float32), use_resource=use_resource)
    scale = tf.placeholder(tf.float32, [])
    used = v if rows is None else tf.gather(v, rows)
    optimizer = tf.keras.optimizers.Adam(0.1, beta_1=0.5, beta_2=0.25, amsgrad=True)
    updates = optimizer.get_updates(tf.reduce_sum(used * used * used) * scale, [v])
    assert sorted(optimizer.get_slot_names()) == ["m", "v", "vhat"] and optimizer.get_config()["amsgrad"] is True
    w, m, s, largest = start, 0, 0, 0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for t, factor in enumerate([1.0, 0.01, 0.1], 1):  # small gradients after a large one
            sess.run(updates, {scale: factor})
            g = 3 * w * w * factor
            if rows is not None:
                g[1] = 0
            m, s = 0.5 * m + 0.5 * g, 0.25 * s + 0.75 * g * g
            largest = np.maximum(largest, s)
            w = w - 0.1 * np.sqrt(1 - 0.25 ** t) / (1 - 0.5 ** t) * m / (np.sqrt(largest) + 1e-7)
            np.testing.assert_allclose(sess.run(v), w, rtol=1e-5, atol=1e-6)


def test_recurrent_layers_keep_masked_steps():
    ids = tf.constant([[1, 2, 0], [3, 0, 0]])
    vectors = layers.Embedding(4, 2, mask_zero=True, embeddings_initializer="ones")(ids)
    lstm = layers.LSTM(2, return_sequences=True, return_state=True)
    sequence, h, c = lstm(vectors)
    assert names(lstm.weights) == ["lstm/lstm_cell/kernel:0", "lstm/lstm_cell/recurrent_kernel:0", "lstm/lstm_cell/bias:0"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sequence, h = sess.run([sequence, h])
    np.testing.assert_array_equal(sequence[:, 2], h)
    np.testing.assert_array_equal(sequence[1, 0], sequence[1, 2])
    np.testing.assert_array_equal(sequence[0, 1], sequence[0, 2])


def test_a_stateful_layer_continues():
    rnn = layers.SimpleRNN(2, stateful=True)
    y = rnn(tf.ones([1, 1, 2]))
    session = K.get_session()
    first, _ = session.run([y, rnn.updates])
    assert not np.array_equal(session.run(y), first)
    rnn.reset_states()
    np.testing.assert_array_equal(session.run(y), first)


def test_errors_of_missing_methods_name_a_substitute():
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(1,))])
    for method in ("compile", "fit", "predict", "evaluate"):
        with pytest.raises(NotImplementedError, match="Instead: "):
            getattr(model, method)()
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 1"):
        model.layers[0](tf.ones([1, 2]))
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        layers.Dense(1, colour="red")
    with pytest.raises(FileNotFoundError, match="downloads nothing"):
        tf.keras.utils.get_file("none", "http://example.org/none")


def test_backend_functions():
    x = K.variable([[1.0, -2.0], [3.0, 4.0]])
    assert K.int_shape(x) == (2, 2) and K.ndim(x) == 2 and K.dtype(x) == "float32" and K.epsilon() == 1e-7
    assert K.eval(K.sum(x)) == 6 and K.eval(K.max(x, axis=1)).tolist() == [1, 4] and K.eval(K.mean(K.greater(x, 0))) == 0.75
    assert K.eval(K.relu(x)).tolist() == [[1, 0], [3, 4]] and K.eval(K.permute_dimensions(x, (1, 0))).tolist() == [[1, 3], [-2, 4]]
    assert K.eval(K.batch_dot(x, x, axes=1)).tolist() == [[5], [25]] and K.eval(K.dot(x, x)).shape == (2, 2)
    a = K.placeholder([None])
    double = K.function([a], [a * 2], updates=[K.update_add(x, K.ones_like(x))])
    assert double([[1.0, 2.0]])[0].tolist() == [2, 4] and K.get_value(x)[0, 0] == 2
    K.set_value(x, np.zeros([2, 2]))
    assert not K.get_value(x).any()


def test_arrays_and_texts():
    assert tf.keras.utils.to_categorical([0, 2]).tolist() == [[1, 0, 0], [0, 0, 1]]
    pad = tf.keras.preprocessing.sequence.pad_sequences
    assert pad([[1, 2, 3], [4]], maxlen=2).tolist() == [[2, 3], [0, 4]]
    assert pad([[1, 2, 3], [4]], maxlen=2, padding="post", truncating="post").tolist() == [[1, 2], [4, 0]]
    tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=3, oov_token="?")
    tokenizer.fit_on_texts(["The cat, the dog", "the cat"])
    assert tokenizer.word_index == {"?": 1, "the": 2, "cat": 3, "dog": 4} and tokenizer.texts_to_sequences(["the cat"]) == [[2, 1]]


def test_import_stays_light():
    code = "import sys, weir as tf; tf.nn.relu; assert not [m for m in sys.modules if 'keras' in m and 'api' not in m]"
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)}).returncode == 0


def test_a_graph_with_a_model_is_freed():
    import gc
    import weakref
    with tf.Graph().as_default() as graph:
        model = tf.keras.Sequential([layers.LSTM(2, input_shape=(3, 1)), layers.BatchNormalization(), layers.Dense(1)])
        model(tf.ones([1, 3, 1]), training=True)
        freed = weakref.ref(graph)
    del graph, model
    gc.collect()
    assert freed() is None
