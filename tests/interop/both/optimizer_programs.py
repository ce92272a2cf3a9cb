"""Ten steps of every optimizer: dense and sparse gradients, reference and resource variables, float32 and float64."""
import numpy as np

from both.program import Program

STEPS = 10

OPTIMIZERS = {
    "gradient_descent": lambda t: t.GradientDescentOptimizer(0.1),
    "gradient_descent_locking": lambda t: t.GradientDescentOptimizer(0.1, use_locking=True, name="Descent"),
    "momentum": lambda t: t.MomentumOptimizer(0.05, 0.9),
    "nesterov": lambda t: t.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adagrad": lambda t: t.AdagradOptimizer(0.2, initial_accumulator_value=0.3),
    "adadelta": lambda t: t.AdadeltaOptimizer(0.5, rho=0.9, epsilon=1e-4),
    "adam": lambda t: t.AdamOptimizer(0.02, beta1=0.8, beta2=0.95, epsilon=1e-6),
    "rmsprop": lambda t: t.RMSPropOptimizer(0.02, decay=0.8, momentum=0.3),
    "rmsprop_centered": lambda t: t.RMSPropOptimizer(0.02, decay=0.8, momentum=0.3, epsilon=1e-3, centered=True),
    "ftrl": lambda t: t.FtrlOptimizer(0.2),
    "ftrl_l1": lambda t: t.FtrlOptimizer(0.2, l1_regularization_strength=0.05, initial_accumulator_value=0.2),
    "ftrl_l1_l2": lambda t: t.FtrlOptimizer(0.2, l1_regularization_strength=0.01, l2_regularization_strength=0.1),
    "ftrl_shrinkage": lambda t: t.FtrlOptimizer(0.2, l1_regularization_strength=0.01, l2_regularization_strength=0.1,
                                                l2_shrinkage_regularization_strength=0.05),
    "ftrl_power": lambda t: t.FtrlOptimizer(0.2, learning_rate_power=-0.3, l1_regularization_strength=0.01),
    "proximal_gradient_descent": lambda t: t.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.02,
                                                                              l2_regularization_strength=0.05),
    "proximal_adagrad": lambda t: t.ProximalAdagradOptimizer(0.2, l1_regularization_strength=0.02, l2_regularization_strength=0.05),
}


def parameters(tf, resource, dtype):
    rng = np.random.RandomState(3)
    with tf.variable_scope("model", use_resource=resource):
        table = tf.get_variable("table", initializer=tf.constant(rng.uniform(-1, 1, (6, 3)).astype(dtype)))
        weights = tf.get_variable("weights", initializer=tf.constant(rng.uniform(-1, 1, (3, 2)).astype(dtype)))
    return table, weights


def feeds(dtype, ids, target):
    """Returns the feeds of all steps. Ids repeat within a step, and some rows are never used."""
    result = []
    for step in range(STEPS):
        rng = np.random.RandomState(step)
        result.append({ids: np.array([step % 4, 1, step % 4, 4], np.int32), target: rng.uniform(-1, 1, (4, 2)).astype(dtype)})
    return result


def trajectory(make, lookup, resource, dtype):
    def build(tf):
        table, weights = parameters(tf, resource, dtype)
        ids = tf.placeholder(tf.int32, [4], name="ids")
        target = tf.placeholder(dtype, [4, 2], name="target")
        if lookup == "dense":
            rows = tf.matmul(tf.one_hot(ids, 6, dtype=dtype), table)
        elif lookup == "gather":
            rows = tf.gather(table, ids)
        else:
            rows = tf.nn.embedding_lookup(table, ids)
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, weights) - target))
        train = make(tf.train).minimize(loss)
        return {"train": train, "feeds": feeds(dtype, ids, target)}
    return build


def adagrad_da(lookup, resource):
    def build(tf):
        table, weights = parameters(tf, resource, "float32")
        step = tf.train.get_or_create_global_step()
        ids = tf.placeholder(tf.int32, [4], name="ids")
        target = tf.placeholder("float32", [4, 2], name="target")
        rows = tf.nn.embedding_lookup(table, ids) if lookup == "embedding" else tf.matmul(tf.one_hot(ids, 6), table)
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, weights) - target))
        optimizer = tf.train.AdagradDAOptimizer(0.3, step, l1_regularization_strength=0.001, l2_regularization_strength=0.01)
        return {"train": optimizer.minimize(loss, global_step=step), "feeds": feeds("float32", ids, target)}
    return build


def clipped(tf):
    """compute_gradients, clipping, apply_gradients with a global step, a decaying rate and moving averages."""
    table, weights = parameters(tf, False, "float32")
    step = tf.train.get_or_create_global_step()
    ids = tf.placeholder(tf.int32, [4], name="ids")
    target = tf.placeholder("float32", [4, 2], name="target")
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.embedding_lookup(table, ids), weights) - target))
    optimizer = tf.train.AdamOptimizer(tf.train.exponential_decay(0.1, step, 3, 0.5, staircase=True))
    grads = optimizer.compute_gradients(loss, [table, weights])
    norms, _ = tf.clip_by_global_norm([g for g, _ in grads], 0.1)
    update = optimizer.apply_gradients(zip(norms, [v for _, v in grads]), global_step=step)
    average = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([update]):
        train = average.apply([table, weights])
    return {"train": train, "feeds": feeds("float32", ids, target)}


def slot_names(tf):
    """Two optimizers on one variable, and one in a name scope: the names of their slots differ."""
    table, weights = parameters(tf, False, "float32")
    loss = tf.reduce_sum(tf.square(table)) + tf.reduce_sum(tf.square(weights))
    first = tf.train.AdamOptimizer(0.1)
    second = tf.train.AdamOptimizer(0.1, name="Other")
    with tf.name_scope("training"):
        third = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss)
    train = tf.group(first.minimize(loss, var_list=[table]), second.minimize(loss, var_list=[weights]), third, name="all")
    assert first.get_slot_names() == ["m", "v"], first.get_slot_names()
    assert first.get_slot(table, "m") is not None and second.get_slot(table, "m") is None
    return {"look": sorted(tf.global_variables(), key=lambda v: v.name), "train": train, "feeds": [{}] * 3}


def programs():
    for name, make in OPTIMIZERS.items():
        for lookup in ("dense", "embedding", "gather"):
            for resource in (False, True):
                for dtype in ("float32", "float64"):
                    if dtype == "float64" and (lookup == "gather" or name.startswith("proximal")):
                        continue  # TensorFlow's proximal optimizers always convert their rates to float32
                    kind = "resource" if resource else "ref"
                    yield Program("%s_%s_%s_%s" % (name, lookup, kind, dtype), trajectory(make, lookup, resource, dtype))
    for lookup in ("dense", "embedding"):
        for resource in (False, True):
            yield Program("adagrad_da_%s_%s" % (lookup, "resource" if resource else "ref"), adagrad_da(lookup, resource))
    yield Program("clipped_adam", clipped)
    yield Program("slot_names", slot_names)
