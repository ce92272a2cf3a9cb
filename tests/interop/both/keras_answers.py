"""tf.keras in graph mode: values, gradients, names and shapes of layers with given weights; losses, metrics, activations."""
import itertools

import numpy as np

CASES = {}


def numbers(shape, seed):
    return (np.random.RandomState(seed).rand(*shape) * 2 - 1).astype(np.float32)


def evaluate(tf, layer, fetches, feeds=None):
    """Sets the weights to known values and evaluates."""
    assigned = [w.assign(numbers(w.shape.as_list(), i) * (0.5 if w.shape.ndims > 1 else 1) + (1 if "variance" in w.name else 0))
                for i, w in enumerate(layer.weights)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([getattr(a, "op", a) for a in assigned])
        return sess.run(fetches, feeds)


def layer_case(make, *shapes, ints=False, **call):
    def case(tf):
        inputs = [tf.constant(np.random.RandomState(40 + i).randint(0, 4, shape).astype(np.int32) if ints else numbers(shape, 30 + i))
                  for i, shape in enumerate(shapes)]
        layer = make(tf, tf.keras.layers)
        outputs = layer(inputs if len(inputs) > 1 else inputs[0], **call)
        flat = outputs if isinstance(outputs, list) else [outputs]
        wanted = [] if ints else inputs
        gradients = [g for g in tf.gradients([tf.reduce_sum(tf.square(y)) for y in flat], wanted + layer.trainable_weights) if g is not None]
        gradients = [tf.convert_to_tensor(g) for g in gradients]
        return [layer.name, [[w.name, w.shape.as_list()] for w in layer.weights], len(layer.trainable_weights), [str(y.shape) for y in flat],
                evaluate(tf, layer, [flat, gradients])]
    return case


LAYERS = {
    "Dense": (lambda tf, L: L.Dense(3, activation="tanh"), (2, 4)),
    "Dense of rank 3": (lambda tf, L: L.Dense(3, use_bias=False), (2, 5, 4)),
    "Conv1D causal": (lambda tf, L: L.Conv1D(3, 2, padding="causal", dilation_rate=2), (2, 7, 2)),
    "Conv1D": (lambda tf, L: L.Conv1D(3, 3, strides=2, activation="relu"), (2, 7, 2)),
    "Conv2D": (lambda tf, L: L.Conv2D(3, (3, 2), strides=(2, 1), padding="same"), (2, 6, 5, 2)),
    "Conv2D dilated": (lambda tf, L: L.Conv2D(2, 2, dilation_rate=2, use_bias=False), (1, 6, 6, 2)),
    "Conv3D": (lambda tf, L: L.Conv3D(2, 2), (1, 3, 4, 3, 2)),
    "Conv2DTranspose": (lambda tf, L: L.Conv2DTranspose(3, 3, strides=2, padding="same"), (1, 3, 4, 2)),
    "Conv2DTranspose valid": (lambda tf, L: L.Conv2DTranspose(3, 3, strides=2), (1, 3, 4, 2)),
    "SeparableConv2D": (lambda tf, L: L.SeparableConv2D(3, 2, depth_multiplier=2), (1, 4, 4, 2)),
    "SeparableConv1D": (lambda tf, L: L.SeparableConv1D(3, 2, padding="same"), (1, 4, 2)),
    "DepthwiseConv2D": (lambda tf, L: L.DepthwiseConv2D(2, depth_multiplier=2, activation="relu"), (1, 4, 4, 2)),
    "DepthwiseConv2D strided": (lambda tf, L: L.DepthwiseConv2D(3, strides=(2, 2), padding="same", use_bias=False), (1, 5, 5, 2)),
    "MaxPooling1D": (lambda tf, L: L.MaxPooling1D(2), (1, 5, 2)),
    "MaxPooling2D": (lambda tf, L: L.MaxPooling2D((2, 3), strides=1, padding="same"), (1, 4, 5, 2)),
    "AveragePooling2D": (lambda tf, L: L.AveragePooling2D(), (1, 4, 5, 2)),
    "AveragePooling3D": (lambda tf, L: L.AveragePooling3D(2), (1, 4, 4, 2, 1)),
    "GlobalMaxPooling1D": (lambda tf, L: L.GlobalMaxPooling1D(), (2, 5, 3)),
    "GlobalAveragePooling2D": (lambda tf, L: L.GlobalAveragePooling2D(), (2, 3, 4, 3)),
    "GlobalMaxPooling2D first": (lambda tf, L: L.GlobalMaxPooling2D("channels_first"), (2, 3, 4, 3)),
    "GlobalAveragePooling3D": (lambda tf, L: L.GlobalAveragePooling3D(), (2, 2, 3, 2, 3)),
    "BatchNormalization": (lambda tf, L: L.BatchNormalization(), (4, 3)),
    "BatchNormalization of images": (lambda tf, L: L.BatchNormalization(scale=False), (2, 3, 3, 2)),
    "LayerNormalization": (lambda tf, L: L.LayerNormalization(), (4, 3)),
    "LayerNormalization of two axes": (lambda tf, L: L.LayerNormalization(axis=[1, 2], epsilon=0.1), (2, 3, 4)),
    "LayerNormalization first": (lambda tf, L: L.LayerNormalization(axis=1, center=False), (2, 3, 4)),
    "Flatten": (lambda tf, L: L.Flatten(), (2, 3, 4)),
    "Flatten first": (lambda tf, L: L.Flatten("channels_first"), (2, 3, 4)),
    "Reshape": (lambda tf, L: L.Reshape((2, -1)), (2, 3, 4)),
    "Permute": (lambda tf, L: L.Permute((2, 1)), (2, 3, 4)),
    "RepeatVector": (lambda tf, L: L.RepeatVector(3), (2, 4)),
    "Lambda": (lambda tf, L: L.Lambda(lambda x, k: x * k, arguments={"k": 3.0}), (2, 4)),
    "Activation": (lambda tf, L: L.Activation("softsign"), (2, 4)),
    "LeakyReLU": (lambda tf, L: L.LeakyReLU(), (2, 4)),
    "ELU": (lambda tf, L: L.ELU(0.5), (2, 4)),
    "ThresholdedReLU": (lambda tf, L: L.ThresholdedReLU(0.3), (2, 4)),
    "Softmax": (lambda tf, L: L.Softmax(1), (2, 4, 2)),
    "ReLU": (lambda tf, L: L.ReLU(0.7, negative_slope=0.1, threshold=0.2), (4, 4)),
    "ReLU 6": (lambda tf, L: L.ReLU(6.0), (4, 4)),
    "PReLU": (lambda tf, L: L.PReLU(), (2, 4)),
    "PReLU shared": (lambda tf, L: L.PReLU(shared_axes=[1]), (2, 4, 3)),
    "Add": (lambda tf, L: L.Add(), (2, 3), (2, 3), (2, 3)),
    "Subtract": (lambda tf, L: L.Subtract(), (2, 3), (2, 3)),
    "Multiply": (lambda tf, L: L.Multiply(), (2, 3), (2, 3)),
    "Multiply broadcasts": (lambda tf, L: L.Multiply(), (2, 4, 3), (2, 3)),
    "Average": (lambda tf, L: L.Average(), (2, 3), (2, 3), (2, 3)),
    "Maximum": (lambda tf, L: L.Maximum(), (2, 3), (2, 3)),
    "Minimum": (lambda tf, L: L.Minimum(), (2, 3), (2, 3)),
    "Concatenate": (lambda tf, L: L.Concatenate(axis=1), (2, 3, 2), (2, 1, 2)),
    "Dot": (lambda tf, L: L.Dot(1), (2, 3), (2, 3)),
    "Dot of matrices": (lambda tf, L: L.Dot((2, 1)), (2, 3, 4), (2, 4, 5)),
    "Dot normalized": (lambda tf, L: L.Dot(-1, normalize=True), (2, 3, 4), (2, 5, 4)),
    "Attention": (lambda tf, L: L.Attention(), (2, 3, 4), (2, 5, 4)),
    "AdditiveAttention": (lambda tf, L: L.AdditiveAttention(), (2, 3, 4), (2, 5, 4)),
    "ZeroPadding1D": (lambda tf, L: L.ZeroPadding1D((1, 2)), (1, 3, 2)),
    "ZeroPadding2D": (lambda tf, L: L.ZeroPadding2D(((1, 0), (2, 1))), (1, 3, 2, 2)),
    "ZeroPadding3D": (lambda tf, L: L.ZeroPadding3D((1, 0, 2)), (1, 2, 2, 2, 1)),
    "Cropping1D": (lambda tf, L: L.Cropping1D(1), (1, 5, 2)),
    "Cropping2D": (lambda tf, L: L.Cropping2D(((1, 0), (0, 2))), (1, 4, 4, 2)),
    "Cropping2D first": (lambda tf, L: L.Cropping2D(1, data_format="channels_first"), (1, 2, 4, 4)),
    "UpSampling1D": (lambda tf, L: L.UpSampling1D(3), (1, 3, 2)),
    "UpSampling2D": (lambda tf, L: L.UpSampling2D((2, 3)), (1, 2, 2, 2)),
    "UpSampling2D bilinear": (lambda tf, L: L.UpSampling2D(2, interpolation="bilinear"), (1, 3, 2, 2)),
    "UpSampling3D": (lambda tf, L: L.UpSampling3D(2), (1, 2, 1, 2, 1)),
    "Masking": (lambda tf, L: L.Masking(), (2, 3, 2)),
    "SimpleRNN": (lambda tf, L: L.SimpleRNN(3, return_sequences=True), (2, 4, 2)),
    "SimpleRNN all": (lambda tf, L: L.SimpleRNN(3, return_sequences=True, return_state=True, activation="relu"), (2, 4, 2)),
    "GRU": (lambda tf, L: L.GRU(3, return_sequences=True), (2, 4, 2)),
    "GRU reset_after": (lambda tf, L: L.GRU(3, reset_after=True, return_sequences=True, recurrent_activation="sigmoid"), (2, 4, 2)),
    "GRU without bias": (lambda tf, L: L.GRU(3, use_bias=False, go_backwards=True, return_sequences=True), (2, 4, 2)),
    "LSTM": (lambda tf, L: L.LSTM(3, return_sequences=True), (2, 4, 2)),
    "LSTM all": (lambda tf, L: L.LSTM(3, return_sequences=True, return_state=True, recurrent_activation="sigmoid"), (2, 4, 2)),
    "LSTM backwards": (lambda tf, L: L.LSTM(3, go_backwards=True, return_sequences=True, unit_forget_bias=False), (2, 4, 2)),
    "RNN of cells": (lambda tf, L: L.RNN([L.LSTMCell(3), L.GRUCell(2)], return_sequences=True), (2, 4, 2)),
    "TimeDistributed": (lambda tf, L: L.TimeDistributed(L.Dense(3)), (2, 4, 2)),
    "TimeDistributed of images": (lambda tf, L: L.TimeDistributed(L.Conv2D(2, 2)), (2, 2, 3, 3, 2)),
}
for merge in ("concat", "sum", "mul", "ave", None):
    LAYERS[f"Bidirectional {merge}"] = (lambda tf, L, merge=merge: L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode=merge), (2, 4, 3))
for name, (make, *shapes) in LAYERS.items():
    CASES[f"layer {name}"] = layer_case(make, *shapes)
CASES["layer Embedding"] = layer_case(lambda tf, L: L.Embedding(4, 3), (2, 3), ints=True)
CASES["layer BatchNormalization in training"] = layer_case(lambda tf, L: L.BatchNormalization(), (6, 3), training=True)


def masked(make):
    def case(tf):
        L = tf.keras.layers
        ids = tf.constant([[1, 2, 0, 3], [0, 3, 0, 0]])
        embedded = L.Embedding(4, 3, mask_zero=True, embeddings_initializer="ones")(ids)
        layer = make(L)
        outputs = layer(embedded)
        return evaluate(tf, layer, outputs)
    return case


CASES["masked LSTM"] = masked(lambda L: L.LSTM(2, return_sequences=True, return_state=True))
CASES["masked GRU"] = masked(lambda L: L.GRU(2, return_sequences=True))
CASES["masked Bidirectional"] = masked(lambda L: L.Bidirectional(L.SimpleRNN(2, return_sequences=True)))
CASES["masked GlobalAveragePooling1D"] = masked(lambda L: L.GlobalAveragePooling1D())

# --- losses and metrics
Y = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]], np.float32)
P = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.4, 0.5, 0.1], [0.1, 0.8, 0.1]], np.float32)
LOSSES = ["mean_squared_error", "mae", "mape", "msle", "hinge", "squared_hinge", "categorical_hinge", "logcosh", "kld", "poisson", "cosine_similarity",
          "binary_crossentropy", "categorical_crossentropy"]


def loss_case(function):
    def case(tf):
        p = tf.constant(P)
        y = function(tf, tf.constant(Y), p)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            gradient = tf.gradients(y, p)[0]
            return sess.run([y] if gradient is None else [y, gradient])
    return case


for name in LOSSES:
    CASES[f"loss {name}"] = loss_case(lambda tf, y, p, name=name: getattr(tf.keras.losses, name)(y, p))
for name in ("binary_crossentropy", "categorical_crossentropy"):
    CASES[f"loss {name} of logits"] = loss_case(lambda tf, y, p, name=name: getattr(tf.keras.losses, name)(y, p * 3, from_logits=True))
    CASES[f"loss {name} smoothed"] = loss_case(lambda tf, y, p, name=name: getattr(tf.keras.losses, name)(y, p, label_smoothing=0.2))
CASES["loss categorical_crossentropy of softmax"] = loss_case(lambda tf, y, p: tf.keras.losses.categorical_crossentropy(y, tf.nn.softmax(p)))
CASES["loss binary_crossentropy of sigmoid"] = loss_case(lambda tf, y, p: tf.keras.losses.binary_crossentropy(y, tf.nn.sigmoid(p * 90)))
CASES["loss sparse_categorical_crossentropy"] = loss_case(lambda tf, y, p: tf.keras.losses.sparse_categorical_crossentropy(tf.argmax(y, 1), p))
CASES["loss sparse_categorical_crossentropy of columns"] = loss_case(
    lambda tf, y, p: tf.keras.losses.sparse_categorical_crossentropy(tf.expand_dims(tf.argmax(y, 1), 1), p, from_logits=True))
for name, arguments in itertools.product(["MeanSquaredError", "BinaryCrossentropy", "CategoricalCrossentropy", "Huber", "CosineSimilarity"],
                                         [{}, {"reduction": "sum"}, {"reduction": "none"}]):
    CASES[f"loss {name} {arguments}"] = loss_case(lambda tf, y, p, name=name, a=arguments: getattr(tf.keras.losses, name)(**a)(y, p))
CASES["loss with weights"] = loss_case(lambda tf, y, p: tf.keras.losses.MeanSquaredError()(y, p, sample_weight=[1.0, 2.0, 0.0, 0.5]))
for name, arguments in {"binary_accuracy": {"threshold": 0.35}, "categorical_accuracy": {}, "top_k_categorical_accuracy": {"k": 2}}.items():
    CASES[f"metric {name}"] = loss_case(lambda tf, y, p, name=name, a=arguments: getattr(tf.keras.metrics, name)(y, p, **a))
for name in ("sparse_categorical_accuracy", "sparse_top_k_categorical_accuracy"):
    CASES[f"metric {name}"] = loss_case(
        lambda tf, y, p, name=name: getattr(tf.keras.metrics, name)(tf.argmax(y, 1), p, **({"k": 2} if "top" in name else {})))


def metric_case(name, *given):
    def case(tf):
        metric = getattr(tf.keras.metrics, name)()
        update, result = metric.update_state(*[tf.constant(value) for value in given]), metric.result()
        with tf.Session() as sess:
            sess.run([v.initializer for v in metric.variables])
            sess.run(update)
            sess.run(update)
            return [metric.name, [v.name for v in metric.variables], sess.run(result)]
    return case


for name in ["Mean", "Sum"]:
    CASES[f"metric {name}"] = metric_case(name, P)
for name in ["CategoricalAccuracy", "BinaryAccuracy", "MeanSquaredError", "RootMeanSquaredError", "CosineSimilarity"]:
    CASES[f"metric {name}"] = metric_case(name, Y, P)


# --- functions
def function_case(function, shape=(3, 4)):
    def case(tf):
        x = tf.constant(numbers(shape, 3) * 3)
        y = function(tf, x)
        with tf.Session() as sess:
            return sess.run([y, tf.gradients(y, x)[0]])
    return case


for name in ["elu", "exponential", "hard_sigmoid", "linear", "relu", "selu", "sigmoid", "softmax", "softplus", "softsign", "tanh"]:
    CASES[f"activation {name}"] = function_case(lambda tf, x, name=name: tf.keras.activations.get(name)(x))
CASES["activation elu alpha"] = function_case(lambda tf, x: tf.keras.activations.elu(x, alpha=0.3))
CASES["activation relu arguments"] = function_case(lambda tf, x: tf.keras.activations.relu(x, 0.1, 2.0, 0.5))
for name, arguments in {"max_norm": {"max_value": 1.5}, "non_neg": {}, "unit_norm": {"axis": 1},
                        "min_max_norm": {"min_value": 1.0, "max_value": 2.0, "rate": 0.5}}.items():
    CASES[f"constraint {name}"] = function_case(lambda tf, x, name=name, a=arguments: getattr(tf.keras.constraints, name)(**a)(x))
CASES["regularizer l1_l2"] = function_case(lambda tf, x: tf.keras.regularizers.l1_l2(0.1, 0.2)(x))
for name, arguments in {"var": (1,), "std": (0,), "sum": (), "clip": (-1.0, 1.0), "batch_flatten": (), "l2_normalize": (1,), "cumsum": (1,),
                        "repeat_elements": (2, 1), "permute_dimensions": ((1, 0),), "expand_dims": (), "repeat": (2,)}.items():
    CASES[f"backend {name}"] = function_case(lambda tf, x, name=name, a=arguments: getattr(tf.keras.backend, name)(x, *a))
CASES["backend dot"] = function_case(lambda tf, x: tf.keras.backend.dot(x, tf.constant(numbers((2, 4, 3), 1))))
CASES["backend batch_dot"] = function_case(lambda tf, x: tf.keras.backend.batch_dot(x, tf.constant(numbers((3, 4, 2), 1)), axes=(1, 1)))
CASES["backend switch"] = function_case(lambda tf, x: tf.keras.backend.switch(tf.keras.backend.greater(x, 0), x * 2, x * 3))


# --- models
def optimizer_case(make):
    def case(tf):
        v = tf.Variable([1.0, -2.0, 3.0], use_resource=True)
        optimizer = make(tf.keras.optimizers)
        update = optimizer.get_updates(tf.reduce_sum(v * v), [v])
        steps = []
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run([w.initializer for w in optimizer.weights])
            for _ in range(4):
                sess.run(update)
                steps.append(sess.run(v))
        return steps
    return case


for name, arguments in itertools.product(["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Ftrl"],
                                         [{}, {"learning_rate": 0.1}, {"learning_rate": 0.1, "clipvalue": 1.0}]):
    CASES[f"optimizer {name} {arguments}"] = optimizer_case(lambda o, name=name, a=arguments: getattr(o, name)(**a))
CASES["optimizer SGD momentum"] = optimizer_case(lambda o: o.SGD(0.1, momentum=0.9))
CASES["optimizer SGD nesterov"] = optimizer_case(lambda o: o.SGD(0.1, momentum=0.9, nesterov=True))
CASES["optimizer RMSprop momentum"] = optimizer_case(lambda o: o.RMSprop(0.1, momentum=0.5))
CASES["optimizer RMSprop centered"] = optimizer_case(lambda o: o.RMSprop(0.1, centered=True))
CASES["optimizer schedule"] = optimizer_case(lambda o: o.SGD(o.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)))


def model_case(make):
    def case(tf):
        model = make(tf, tf.keras.layers)
        x = tf.constant(numbers((2, *model.input_shape[1:]), 9))
        y = model(x)
        rows = []
        model.summary(print_fn=lambda row, **unused: rows.append(row.rstrip()))
        return [model.name, [layer.name for layer in model.layers], [w.name for w in model.weights], y.name, rows, evaluate(tf, model, y)]
    return case


def residual(tf, L):
    given = tf.keras.Input((4,))
    hidden = L.Dense(4, activation="relu")(given)
    return tf.keras.Model(given, L.Dense(2)(L.add([given, hidden])))


def config_case(make):
    """The configuration of a layer of tf.layers or a recurrent cell, without what versions after 1.15 added."""
    def of_1_15(config):
        return {key: of_1_15(value) if isinstance(value, dict) else value for key, value in config.items()
                if key not in ("groups", "module", "registered_name")}
    return lambda tf: of_1_15(make(tf, tf.layers, tf.nn.rnn_cell).get_config())


for name, make in {
    "Dense": lambda tf, L, C: L.Dense(3, activation=tf.nn.relu, kernel_initializer=tf.zeros_initializer(), name="x"),
    "Conv2D": lambda tf, L, C: L.Conv2D(2, 3, strides=2, name="x"),
    "MaxPooling2D": lambda tf, L, C: L.MaxPooling2D(2, 2, name="x"),
    "AveragePooling1D": lambda tf, L, C: L.AveragePooling1D(2, 2, name="x"),
    "BatchNormalization": lambda tf, L, C: L.BatchNormalization(name="x"),
    "Flatten": lambda tf, L, C: L.Flatten(name="x"),
    "Dropout": lambda tf, L, C: L.Dropout(0.3, name="x"),
    "BasicRNNCell": lambda tf, L, C: C.BasicRNNCell(3, name="x"),
    "GRUCell": lambda tf, L, C: C.GRUCell(3, kernel_initializer=tf.zeros_initializer(), name="x"),
    "BasicLSTMCell": lambda tf, L, C: C.BasicLSTMCell(3, name="x"),
    "LSTMCell": lambda tf, L, C: C.LSTMCell(3, num_proj=2, initializer=tf.ones_initializer(), name="x"),
    "ResidualWrapper": lambda tf, L, C: C.ResidualWrapper(C.GRUCell(3, name="y"), name="x"),
    "DropoutWrapper": lambda tf, L, C: C.DropoutWrapper(C.GRUCell(3, name="y"), 0.5, name="x"),
}.items():
    CASES[f"config of {name}"] = config_case(make)

CASES["model Sequential"] = model_case(lambda tf, L: tf.keras.Sequential([L.Dense(3, input_shape=(4,)), L.Activation("relu"), L.Dense(2)]))
CASES["model of images"] = model_case(lambda tf, L: tf.keras.Sequential([
    L.Conv2D(2, 3, input_shape=(6, 6, 1)), L.BatchNormalization(), L.MaxPooling2D(), L.Flatten(), L.Dense(2, activation="softmax")]))
CASES["model residual"] = model_case(residual)
CASES["model of a model"] = model_case(lambda tf, L: tf.keras.Sequential([residual(tf, L), L.Dense(1)]))
