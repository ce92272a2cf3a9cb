"""slim: layers with their variables, collections and aliases; losses, metrics, train ops, training, evaluation and data."""
import functools
import glob
import os
import tempfile

import numpy as np

from both.answers import evaluate, slim

CASES = {}
RNG = np.random.RandomState(5)
IMAGES = RNG.rand(2, 6, 8, 4).astype(np.float32)
ROWS = RNG.rand(3, 5).astype(np.float32)
VOLUME = RNG.rand(2, 4, 4, 4, 2).astype(np.float32)
PREDICTIONS = RNG.rand(4, 3).astype(np.float32)
LABELS = RNG.rand(4, 3).astype(np.float32)
BINARY = (LABELS > 0.5).astype(np.float32)
ONE_HOT = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function


def converted(tf, module):
    """The functions of a module, which get their arrays as tensors: tf-slim requires it of some."""
    class Converting:
        def __getattr__(self, name):
            found = getattr(module, name)
            if not callable(found) or name in ("repeat", "stack"):
                return found

            @functools.wraps(found)
            def call(*args, **kwargs):
                return found(*[tf.constant(a) if isinstance(a, np.ndarray) else a for a in args], **kwargs)
            return call
    return Converting()


# --- layers: the same weights on both sides ---
def spread(tf):
    """An initializer that both libraries compute alike: sines."""
    def initialize(shape, dtype=None, partition_info=None):
        size = int(np.prod([int(n) for n in shape]))
        return tf.reshape(tf.sin(tf.cast(tf.range(size), tf.float32) + 0.5), [int(n) for n in shape])
    return initialize


def names(variables):
    return [[v.op.name, v.shape.as_list()] for v in variables]


def described(tf, y):
    """The output's name and value, the variables, what is in the collections, and a gradient."""
    variables = tf.global_variables()
    gradient = tf.gradients(tf.sin(y), variables[0]) if variables else [None]
    found = {"shape": y.shape.as_list(), "variables": names(variables), "model": names(tf.get_collection("model_variables")),
             "trainable": names(tf.trainable_variables()), "updates": len(tf.get_collection("update_ops")),
             "losses": len(tf.get_collection("regularization_losses"))}
    fetches = [y] + [g for g in gradient if g is not None] + tf.get_collection("regularization_losses")
    return [found, evaluate(tf, fetches)]


LAYERS = {
    "fully_connected": lambda s, w: s.fully_connected(ROWS, 3, weights_initializer=w),
    "fully_connected without activation": lambda s, w: s.fully_connected(ROWS, 3, activation_fn=None, weights_initializer=w, scope="fc"),
    "fully_connected of images": lambda s, w: s.fully_connected(IMAGES, 3, weights_initializer=w),
    "fully_connected with a regularizer": lambda s, w: s.fully_connected(ROWS, 3, weights_initializer=w,
                                                                        weights_regularizer=s.l2_regularizer(0.1), biases_initializer=None),
    "fully_connected with layer_norm": lambda s, w: s.fully_connected(ROWS, 3, weights_initializer=w, normalizer_fn=s.layer_norm),
    "conv2d": lambda s, w: s.conv2d(IMAGES, 3, 3, weights_initializer=w),
    "conv2d with strides": lambda s, w: s.conv2d(IMAGES, 3, [3, 2], stride=2, padding="VALID", weights_initializer=w, scope="conv"),
    "conv2d with a rate": lambda s, w: s.conv2d(IMAGES, 2, 3, rate=2, weights_initializer=w),
    "conv2d with batch_norm": lambda s, w: s.conv2d(IMAGES, 3, 3, weights_initializer=w, normalizer_fn=s.batch_norm),
    "conv1d": lambda s, w: s.conv1d(ROWS[:, :, None], 3, 3, weights_initializer=w),
    "conv3d": lambda s, w: s.conv3d(VOLUME, 3, 2, weights_initializer=w),
    "conv2d_transpose": lambda s, w: s.conv2d_transpose(IMAGES, 3, 3, stride=2, weights_initializer=w),
    "conv3d_transpose": lambda s, w: s.conv3d_transpose(VOLUME, 3, 2, stride=2, weights_initializer=w),
    "separable_conv2d": lambda s, w: s.separable_conv2d(IMAGES, 3, 3, depth_multiplier=2, weights_initializer=w),
    "separable_conv2d without outputs": lambda s, w: s.separable_conv2d(IMAGES, None, 3, depth_multiplier=2, stride=2, weights_initializer=w),
    "separable_conv2d with a regularizer": lambda s, w: s.separable_conv2d(IMAGES, 3, 3, weights_initializer=w,
                                                                          weights_regularizer=s.l2_regularizer(0.1)),
    "conv2d_in_plane": lambda s, w: s.conv2d_in_plane(IMAGES, 3, weights_initializer=w),
    "conv2d_in_plane with strides": lambda s, w: s.conv2d_in_plane(IMAGES, [3, 2], stride=2, padding="VALID", weights_initializer=w),
    "bias_add": lambda s, w: s.bias_add(IMAGES, initializer=w),
    "batch_norm in training": lambda s, w: s.batch_norm(IMAGES, scale=True),
    "batch_norm in inference": lambda s, w: s.batch_norm(IMAGES, is_training=False),
    "batch_norm of rows": lambda s, w: s.batch_norm(ROWS, decay=0.9),
    "batch_norm with scale that updates at once": lambda s, w: s.batch_norm(IMAGES, scale=True, decay=0.9, updates_collections=None),
    "batch_norm without fusion that updates at once": lambda s, w: s.batch_norm(IMAGES, scale=True, fused=False, updates_collections=None),
    "batch_norm with updates elsewhere": lambda s, w: s.batch_norm(IMAGES, decay=0.8, updates_collections="mine"),
    "batch_norm of scaled rows": lambda s, w: s.batch_norm(ROWS, scale=True, activation_fn=lambda x: x * x),
    "batch_norm without fusion of rows": lambda s, w: s.batch_norm(ROWS, fused=False, scale=True),
    "batch_norm without the bias": lambda s, w: s.batch_norm(IMAGES, zero_debias_moving_mean=True, decay=0.9, updates_collections=None),
    "batch_norm without the bias of rows": lambda s, w: s.batch_norm(ROWS, zero_debias_moving_mean=True, decay=0.9),
    "batch_norm with weights": lambda s, w: s.batch_norm(ROWS, batch_weights=np.float32([0.5, 1, 2]), scale=True),
    "batch_norm with weights of images": lambda s, w: s.batch_norm(IMAGES, batch_weights=np.float32([0.5, 1]), updates_collections=None),
    "batch_norm of channels first": lambda s, w: s.batch_norm(IMAGES, data_format="NCHW", fused=False, scale=True, updates_collections=None),
    "batch_norm in inference without fusion": lambda s, w: s.batch_norm(IMAGES, is_training=False, fused=False, updates_collections=None),
    "batch_norm that updates at once": lambda s, w: s.batch_norm(IMAGES, updates_collections=None),
    "layer_norm": lambda s, w: s.layer_norm(IMAGES),
    "layer_norm of rows": lambda s, w: s.layer_norm(ROWS, scale=False, scope="norm"),
    "layer_norm of the last axis": lambda s, w: s.layer_norm(IMAGES, begin_norm_axis=-1),
    "layer_norm with parameters per pixel": lambda s, w: s.layer_norm(IMAGES, begin_params_axis=1),
    "instance_norm": lambda s, w: s.instance_norm(IMAGES, param_initializers={"gamma": w}),
    "instance_norm of channels first": lambda s, w: s.instance_norm(IMAGES, data_format="NCHW", param_initializers={"beta": w}),
    "group_norm": lambda s, w: s.group_norm(IMAGES, groups=2, param_initializers={"gamma": w, "beta": w}),
    "group_norm of channels first": lambda s, w: s.group_norm(IMAGES, groups=3, channels_axis=-3, reduction_axes=(-2, -1)),
    "group_norm of a mean close to zero": lambda s, w: s.group_norm(IMAGES, groups=2, mean_close_to_zero=True),
    "group_norm with too many groups": lambda s, w: s.group_norm(IMAGES, groups=32),
    "group_norm over its channels": lambda s, w: s.group_norm(IMAGES, groups=2, reduction_axes=(-2, -1)),
    "unit_norm": lambda s, w: s.unit_norm(s.fully_connected(ROWS, 3, activation_fn=None, weights_initializer=w), 1),
    "unit_norm of images": lambda s, w: s.unit_norm(s.bias_add(IMAGES, initializer=w), 2),
    "maxout": lambda s, w: s.maxout(s.bias_add(IMAGES, initializer=w), 2),
    "maxout of a wrong number": lambda s, w: s.maxout(s.bias_add(IMAGES, initializer=w), 3),
    "spatial_softmax": lambda s, w: s.spatial_softmax(s.bias_add(IMAGES, initializer=w), name="spatial"),
    "spatial_softmax with a temperature": lambda s, w: s.spatial_softmax(s.bias_add(IMAGES, initializer=w), temperature=0.5, trainable=False),
    "images_to_sequence": lambda s, w: s.images_to_sequence(s.bias_add(IMAGES, initializer=w)),
    "sequence_to_images": lambda s, w: s.sequence_to_images(s.images_to_sequence(s.bias_add(IMAGES, initializer=w)), 6),
    "max_pool3d": lambda s, w: s.max_pool3d(s.conv3d(VOLUME, 2, 2, weights_initializer=w), 2),
    "avg_pool3d": lambda s, w: s.avg_pool3d(s.conv3d(VOLUME, 2, 2, weights_initializer=w), 2, stride=1, padding="SAME"),
    "pool": lambda s, w: s.pool(s.bias_add(IMAGES, initializer=w), 2, "MAX"),
    "repeat": lambda s, w: s.repeat(s.bias_add(IMAGES), 2, s.conv2d, 4, 3, weights_initializer=w, scope="conv1"),
    "repeat without a scope": lambda s, w: s.repeat(s.bias_add(IMAGES), 2, s.conv2d, 4, 3, weights_initializer=w),
    "stack": lambda s, w: s.stack(s.bias_add(ROWS), s.fully_connected, [4, 2], weights_initializer=w, scope="fc"),
    "elu": lambda s, w: s.elu(ROWS, 3, weights_initializer=w),
    "relu6": lambda s, w: s.relu6(ROWS, 3, weights_initializer=w),
    "linear": lambda s, w: s.linear(ROWS, 3, weights_initializer=w),
    "legacy_fully_connected": lambda s, w: s.legacy_fully_connected(IMAGES, 3, weight_init=w),
    "legacy_relu": lambda s, w: s.legacy_relu(ROWS, 3, weight_init=w),
    "gdn": lambda s, w: s.gdn(s.bias_add(IMAGES, initializer=w), name="gdn"),
    "gdn inverse": lambda s, w: s.gdn(s.bias_add(IMAGES, initializer=w), inverse=True, name="gdn"),
}


def layer(make):
    return lambda tf: described(tf, make(converted(tf, slim(tf)), spread(tf)))


CASES.update({f"layer {name}": layer(make) for name, make in LAYERS.items()})


@case
def end_points(tf):
    s = slim(tf)
    with tf.variable_scope("net", "net", [IMAGES]) as scope:
        with s.arg_scope([s.conv2d, s.max_pool2d, s.fully_connected, s.flatten, s.dropout, s.batch_norm], outputs_collections="net_end_points"):
            y = s.conv2d(IMAGES, 3, 3, scope="conv1")
            y = s.max_pool2d(y, 2, scope="pool1")
            y = s.repeat(y, 2, s.conv2d, 3, 3, scope="conv2")
            y = s.dropout(s.flatten(s.batch_norm(y, scope="bn"), scope="flat"), is_training=False, scope="drop")
            s.fully_connected(y, 2, scope="logits")
    found = utils(tf).convert_collection_to_dict("net_end_points")
    return [[key, value.shape.as_list()] for key, value in found.items()] + [scope.name, names(s.get_model_variables())]


def utils(tf):
    if tf.__name__ == "weir":
        return slim(tf).utils
    from tf_slim.layers import utils as found
    return found


@case
def arg_scope_of_model_variables(tf):
    s = slim(tf)
    with s.arg_scope([s.model_variable if tf.__name__ == "weir" else s.variables.model_variable if hasattr(s, "variables") else s.model_variable],
                     device="/cpu:1"):
        s.fully_connected(ROWS, 2)
    return [v.device for v in tf.global_variables()]


@case
def variable_collections(tf):
    s = slim(tf)
    s.conv2d(IMAGES, 2, 3, variables_collections={"weights": ["mine"], "biases": ["others"]}, scope="a")
    s.separable_conv2d(IMAGES, 2, 3, variables_collections=["all"], scope="b")
    s.layer_norm(IMAGES, variables_collections=["all"], scope="c")
    return {key: names(tf.get_collection(key)) for key in ("mine", "others", "all")}


@case
def reuse(tf):
    s = slim(tf)
    for layer in (s.layer_norm, s.instance_norm, s.batch_norm):
        layer(IMAGES, scope=layer.__name__)
        layer(IMAGES, scope=layer.__name__, reuse=True)
    s.separable_conv2d(IMAGES, 2, 3, scope="sep")
    s.separable_conv2d(IMAGES, 2, 3, scope="sep", reuse=True)
    return [names(tf.global_variables()), len(tf.get_collection("model_variables"))]


@case
def dense_to_sparse(tf):
    s = slim(tf).dense_to_sparse(np.array([[1, 0, 2], [0, 0, 3]]))
    return evaluate(tf, [s.indices, s.values, s.dense_shape])


@case
def scale_gradient(tf):
    x = tf.constant([1.0, 2.0])
    y = slim(tf).scale_gradient(x, 0.25)
    return evaluate(tf, [y, tf.gradients(y * y, x)[0]])


# --- losses ---
LOSSES = {
    "absolute_difference": lambda s: s.absolute_difference(PREDICTIONS, LABELS),
    "mean_squared_error": lambda s: s.mean_squared_error(PREDICTIONS, LABELS, weights=2.0),
    "log_loss": lambda s: s.log_loss(PREDICTIONS, BINARY),
    "sigmoid_cross_entropy": lambda s: s.sigmoid_cross_entropy(PREDICTIONS, BINARY, label_smoothing=0.1),
    "softmax_cross_entropy": lambda s: s.softmax_cross_entropy(PREDICTIONS, ONE_HOT, weights=np.float32([1, 0, 2, 1])),
    "sparse_softmax_cross_entropy": lambda s: s.sparse_softmax_cross_entropy(PREDICTIONS, np.array([0, 2, 1, 1])),
    "sparse_softmax_cross_entropy of columns": lambda s: s.sparse_softmax_cross_entropy(PREDICTIONS, np.array([[0], [2], [1], [1]])),
    "cosine_distance": lambda s: s.cosine_distance(PREDICTIONS, LABELS, dim=1),
    "compute_weighted_loss": lambda s: s.compute_weighted_loss(PREDICTIONS, 3.0),
}


def loss(make):
    def compute(tf):
        losses = slim(tf).losses
        value = make(converted(tf, losses))
        return [evaluate(tf, value), len(losses.get_losses()), evaluate(tf, losses.get_total_loss())]
    return compute


CASES.update({f"loss {name}": loss(make) for name, make in LOSSES.items()})


@case
def hinge_loss(tf):
    s = slim(tf).losses
    value = s.hinge_loss(tf.constant(PREDICTIONS), tf.constant(BINARY))
    return [evaluate(tf, value), len(s.get_losses())]


# --- metrics, over two batches ---
BATCHES = [(RNG.rand(6).astype(np.float32), RNG.rand(6) > 0.4) for _ in range(2)]
WEIGHTS = np.array([1.0, 0.0, 2.0, 1.0, 0.5, 1.0], np.float32)
METRICS = {
    "streaming_mean": lambda m, p, b: m.streaming_mean(p),
    "streaming_accuracy": lambda m, p, b: m.streaming_accuracy(p > 0.5, b),
    "streaming_auc": lambda m, p, b: m.streaming_auc(p, b),
    "streaming_covariance": lambda m, p, b: m.streaming_covariance(p, as_float(b)),
    "streaming_covariance with weights": lambda m, p, b: m.streaming_covariance(p, as_float(b), weights=WEIGHTS),
    "streaming_pearson_correlation": lambda m, p, b: m.streaming_pearson_correlation(p, as_float(b)),
    "streaming_pearson_correlation with weights": lambda m, p, b: m.streaming_pearson_correlation(p, as_float(b), weights=WEIGHTS),
    "streaming_concat": lambda m, p, b: m.streaming_concat(p),
    "streaming_concat up to a size": lambda m, p, b: m.streaming_concat(p, max_size=8),
    "streaming_false_positive_rate": lambda m, p, b: m.streaming_false_positive_rate(p > 0.5, b),
    "streaming_false_negative_rate": lambda m, p, b: m.streaming_false_negative_rate(p > 0.5, b),
    "streaming_false_positive_rate_at_thresholds": lambda m, p, b: m.streaming_false_positive_rate_at_thresholds(p, b, [0.2, 0.7]),
    "streaming_false_negative_rate_at_thresholds": lambda m, p, b: m.streaming_false_negative_rate_at_thresholds(p, b, [0.2, 0.7], WEIGHTS),
    "f1_score": lambda m, p, b: m.f1_score(b, p),
    "cohen_kappa": lambda m, p, b: m.cohen_kappa(as_int(b), as_int(p > 0.5), 2),
    "recall_at_precision": lambda m, p, b: m.recall_at_precision(b, p, 0.7),
    "recall_at_precision in strict mode": lambda m, p, b: m.recall_at_precision(b, p, 0.7, strict_mode=True),
    "precision_at_recall": lambda m, p, b: m.precision_at_recall(b, p, 0.6),
    "count": lambda m, p, b: m.count(p),
    "count with weights": lambda m, p, b: m.count(p, weights=WEIGHTS),
}


def as_float(x):
    return (x + 0).astype(np.float32) if isinstance(x, np.ndarray) else cast(x, "float32")


def as_int(x):
    return cast(x, "int64")


def cast(x, name):
    import sys
    tf = sys.modules["weir"] if type(x).__module__.startswith("weir") else sys.modules["tensorflow"].compat.v1
    return tf.cast(x, getattr(tf, name))


def metric(make):
    def compute(tf):
        p, b = tf.placeholder(tf.float32, [6]), tf.placeholder(tf.bool, [6])
        value, update = make(slim(tf).metrics, p, b)
        results = []
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            for predictions, labels in BATCHES:
                results += [sess.run(update, {p: predictions, b: labels}), sess.run(value)]
        return [results, [v.op.name for v in tf.local_variables()]]
    return compute


CASES.update({f"metric {name}": metric(make) for name, make in METRICS.items() if "concat" not in name})
CASES.update({f"metric {name}": metric(make) for name, make in METRICS.items() if "concat" in name})


@case
def metric_curve_points(tf):
    p, b = tf.constant(BATCHES[0][0]), tf.constant(BATCHES[0][1])
    points, update = slim(tf).metrics.streaming_curve_points(b, p, num_thresholds=5)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(update)
        return sess.run(points)


@case
def metric_ranks(tf):
    s = slim(tf).metrics
    best = tf.constant([[0, 2], [1, 2]], tf.int64)
    labels = tf.constant([[0, 1], [2, 0]], tf.int64)
    made = [s.streaming_sparse_precision_at_top_k(best, labels), s.sparse_recall_at_top_k(labels, best),
            s.streaming_sparse_average_precision_at_top_k(best, labels), s.streaming_recall_at_k(tf.constant(PREDICTIONS), [0, 2, 1, 1], 2)]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return [[sess.run(update), sess.run(value)] for value, update in made]


@case
def metric_maps(tf):
    s = slim(tf).metrics
    values, updates = s.aggregate_metric_map({"a": (1, 2), "b": (3, 4)})
    return [values, updates, s.aggregate_metrics((1, 2), (3, 4))]


@case
def accuracy(tf):
    s = slim(tf).metrics
    return evaluate(tf, [s.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 2, 4])),
                         s.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 2, 4]), weights=tf.constant([1.0, 1.0, 2.0]))])


# --- train ops ---
def regression(tf):
    s = slim(tf)
    x = tf.constant(ROWS)
    y = s.fully_connected(s.batch_norm(x, scope="bn"), 1, activation_fn=None, weights_initializer=spread(tf), scope="fc")
    s.losses.mean_squared_error(y, tf.constant(ROWS[:, :1]))
    return s.losses.get_total_loss()


def trained(tf, train_op, steps=3):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        losses = [sess.run(train_op) for _ in range(steps)]
        return [losses, sorted([v.op.name, sess.run(v)] for v in tf.global_variables() if "Adam" not in v.op.name)]


TRAIN_OPS = {
    "plain": {},
    "with clipped gradients": {"clip_gradient_norm": 0.05},
    "with multiplied gradients": {"gradient_multipliers": {"fc/weights": 2.0, "fc/biases": 0.0}},
    "without updates": {"update_ops": []},
    "with summaries": {"summarize_gradients": True},
    "with other variables": {"variables_to_train": "fc"},
    "without a global step": {"global_step": None},
}


def train_op(options):
    def compute(tf):
        loss = regression(tf)
        given = dict(options)
        if given.get("variables_to_train"):
            given["variables_to_train"] = [v for v in tf.trainable_variables() if v.op.name.startswith("fc")]
        op = slim(tf).learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1), **given)
        return [trained(tf, op), len(tf.get_collection("train_op")), len(tf.get_collection("summaries"))]
    return compute


CASES.update({f"create_train_op {name}": train_op(options) for name, options in TRAIN_OPS.items()})
OPTIMIZE = {
    "SGD": {"optimizer": "SGD"},
    "Momentum": {"optimizer": "Momentum", "clip_gradients": 0.1},
    "a class": {"optimizer": "class", "summaries": ["loss", "gradients", "gradient_norm", "learning_rate", "global_gradient_norm"]},
    "a function": {"optimizer": "function", "gradient_multipliers": {"fc/weights:0": 0.5}},
    "a decay": {"optimizer": "SGD", "learning_rate_decay_fn": "decay"},
    "adaptive clipping": {"optimizer": "SGD", "clip_gradients": "adaptive"},
    "no increment": {"optimizer": "SGD", "increment_global_step": False},
    "an unknown name": {"optimizer": "Best"},
    "an unknown summary": {"optimizer": "SGD", "summaries": ["all"]},
}


def optimize(options):
    def compute(tf):
        s = slim(tf)
        adaptive = s.adaptive_clipping_fn if hasattr(s, "adaptive_clipping_fn") else None
        given = {key: {"class": tf.train.GradientDescentOptimizer, "function": lambda rate: tf.train.MomentumOptimizer(rate, 0.5),
                       "decay": lambda rate, step: tf.train.exponential_decay(rate, step, 2, 0.5),
                       "adaptive": adaptive and adaptive(std_factor=0.5, decay=0.9)}.get(value, value) if isinstance(value, str) else value
                 for key, value in options.items()}
        op = s.optimize_loss(regression(tf), tf.train.get_or_create_global_step(), 0.1, **given)
        return [trained(tf, op), sorted(t.op.name for t in tf.get_collection("summaries"))]
    return compute


CASES.update({f"optimize_loss {name}": optimize(options) for name, options in OPTIMIZE.items()})


# --- training and evaluation ---
@case
def learning_and_evaluation(tf):
    s = slim(tf)
    folder = tempfile.mkdtemp()
    op = s.learning.create_train_op(regression(tf), tf.train.GradientDescentOptimizer(0.1))
    loss = s.learning.train(op, folder, number_of_steps=5, log_every_n_steps=2, save_summaries_secs=1)
    checkpoints = sorted(os.path.basename(f) for f in glob.glob(folder + "/*.index"))
    with tf.Graph().as_default():
        x = tf.constant(ROWS)
        y = s.fully_connected(s.batch_norm(x, is_training=False, scope="bn"), 1, activation_fn=None, scope="fc")
        tf.train.get_or_create_global_step()
        value, update = s.metrics.streaming_mean_squared_error(y, tf.constant(ROWS[:, :1]))
        tf.summary.scalar("mse", value)
        result = s.evaluation.evaluate_once("", tf.train.latest_checkpoint(folder), folder + "/eval", num_evals=3, eval_op=update, final_op=value)
        again = s.evaluation.evaluation_loop("", folder, folder + "/eval", num_evals=1, eval_op=update, final_op=[value],
                                             max_number_of_evaluations=1, eval_interval_secs=0)
    return [loss, "model.ckpt-5.index" in checkpoints, result, again, len(glob.glob(folder + "/eval/events*")) > 0]


@case
def training_again(tf):
    """A second call continues at the checkpoint."""
    s = slim(tf)
    folder = tempfile.mkdtemp()
    results = []
    for steps in (2, 4):
        with tf.Graph().as_default():
            op = s.learning.create_train_op(regression(tf), tf.train.GradientDescentOptimizer(0.1))
            results.append(s.learning.train(op, folder, number_of_steps=steps))
    return results


@case
def training_with_a_step_function(tf):
    s = slim(tf)
    op = s.learning.create_train_op(regression(tf), tf.train.GradientDescentOptimizer(0.1))
    seen = []

    def step(sess, train_op, global_step, kwargs):
        loss, stop = s.learning.train_step(sess, train_op, global_step, kwargs)
        seen.append([int(sess.run(global_step)), sorted(kwargs)])
        return loss, stop or len(seen) == 3
    s.learning.train(op, None, train_step_fn=step, number_of_steps=9)
    return seen


WRONG = {
    "no train op": {"train_op": None},
    "a saver without a folder": {"saver": "saver"},
    "traces without a folder": {"trace_every_n_steps": 1},
    "no steps": {"number_of_steps": 0},
}


def wrong(options):
    def compute(tf):
        s = slim(tf)
        given = {"train_op": s.learning.create_train_op(regression(tf), tf.train.GradientDescentOptimizer(0.1)), **options}
        if "saver" in given:
            given["saver"] = tf.train.Saver()
        return s.learning.train(logdir=None, **given)
    return compute


CASES.update({f"train with {name}": wrong(options) for name, options in WRONG.items()})


# --- data ---
def records(tf, folder):
    """Two files with five examples each: an image, a label, boxes and a sparse feature."""
    with tf.Graph().as_default(), tf.Session() as sess:
        encoded = [sess.run(tf.image.encode_png(np.full((3, 2, 3), i, np.uint8))) for i in range(10)]
    for part in range(2):
        with tf.python_io.TFRecordWriter(f"{folder}/data-{part}.tfrecord") as writer:
            for i in range(part * 5, part * 5 + 5):
                features = {"image/encoded": bytes_of(tf, encoded[i]), "image/format": bytes_of(tf, b"png"), "label": ints(tf, [i]),
                            "height": ints(tf, [3]), "indices": ints(tf, [0, 2]), "values": ints(tf, [i, i + 1]),
                            **{side: floats(tf, [0.1 * i, 0.2]) for side in ("ymin", "xmin", "ymax", "xmax")}}
                writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def bytes_of(tf, value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def ints(tf, values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(tf, values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def dataset(tf, folder):
    s = slim(tf)
    decoder = s.tfexample_decoder
    features = {"image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
                "image/format": tf.FixedLenFeature((), tf.string, default_value="raw"),
                "label": tf.FixedLenFeature([1], tf.int64), "indices": tf.VarLenFeature(tf.int64), "values": tf.VarLenFeature(tf.int64),
                **{side: tf.VarLenFeature(tf.float32) for side in ("ymin", "xmin", "ymax", "xmax")}}
    handlers = {"image": decoder.Image(shape=[3, 2, 3]), "label": decoder.Tensor("label", shape=[]), "box": decoder.BoundingBox(),
                "sparse": decoder.SparseTensor(shape=[4], densify=True), "dense": decoder.Tensor("values"),
                "callback": decoder.ItemHandlerCallback("label", lambda tensors: tensors["label"] * 2),
                "backup": decoder.BackupHandler(decoder.Tensor("values"), decoder.Tensor("indices"))}
    return s.dataset.Dataset(data_sources=folder + "/data-*", reader=tf.TFRecordReader, decoder=decoder.TFExampleDecoder(features, handlers),
                             num_samples=10, items_to_descriptions={}, num_classes=10)


@case
def dataset_provider(tf):
    folder = tempfile.mkdtemp()
    records(tf, folder)
    provider = slim(tf).dataset_data_provider.DatasetDataProvider(dataset(tf, folder), shuffle=False, num_epochs=1)
    items = ["image", "label", "box", "sparse", "dense", "callback", "backup", "record_key"]
    tensors = provider.get(items)
    seen = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            values = sess.run(tensors)
            seen.append([*values[:-1], values[-1].decode().rpartition("/")[2]])
    return [sorted(seen, key=lambda row: int(row[1])), provider.num_samples(), sorted(provider.list_items()),
            [t.shape.as_list() for t in tensors[:2]], sorted(v.op.name for v in tf.local_variables())]


@case
def prefetched_batches(tf):
    s = slim(tf)
    label = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([label, label * 2], 4)
    queue = s.prefetch_queue.prefetch_queue({"a": batch[0], "b": batch[1]}, capacity=2)
    found = queue.dequeue()
    with tf.train.MonitoredSession() as sess:
        values = [sess.run(found) for _ in range(2)]
    return [[value["a"], value["b"]] for value in values] + [[t.op.name for t in tf.get_collection("summaries")]]


@case
def wrong_items(tf):
    folder = tempfile.mkdtemp()
    records(tf, folder)
    return slim(tf).dataset_data_provider.DatasetDataProvider(dataset(tf, folder)).get(["picture"])


@case
def sizes_of_a_model(tf):
    s = slim(tf)
    s.fully_connected(s.fully_connected(ROWS, 4), 2)
    return [s.model_analyzer.analyze_vars(tf.global_variables()), s.model_analyzer.tensor_description(tf.zeros([2, 3]))]


@case
def summaries(tf):
    s = slim(tf).summaries
    x = tf.nn.relu(tf.constant([-1.0, 2.0]), name="x")
    s.add_histogram_summary(x)
    s.add_scalar_summary(x[0], name="first", prefix="mine")
    s.add_zero_fraction_summary(x)
    s.add_scalar_summary(x[1], print_summary=True)
    slim(tf).summarize_activation(x)
    slim(tf).summarize_tensor(x)
    return [[t.op.name, t.op.type] for t in tf.get_collection("summaries")]


@case
def queue_runners_in_a_block(tf):
    value = tf.train.range_input_producer(3, shuffle=False).dequeue()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        with slim(tf).queues.QueueRunners(sess):
            return [int(sess.run(value)) for _ in range(4)]
