"""Learning rate schedules over a range of steps, moving averages, clipping."""
import numpy as np

from both.program import Program

DECAYS = {
    "exponential": lambda t, step: t.exponential_decay(0.5, step, 7, 0.8),
    "exponential_stairs": lambda t, step: t.exponential_decay(0.5, step, 7, 0.8, staircase=True),
    "natural_exp": lambda t, step: t.natural_exp_decay(0.5, step, 7, 0.3),
    "natural_exp_stairs": lambda t, step: t.natural_exp_decay(0.5, step, 7, 0.3, staircase=True),
    "inverse_time": lambda t, step: t.inverse_time_decay(0.5, step, 7, 0.3),
    "inverse_time_stairs": lambda t, step: t.inverse_time_decay(0.5, step, 7, 0.3, staircase=True),
    "polynomial": lambda t, step: t.polynomial_decay(0.5, step, 20, 0.01, power=2.0),
    "polynomial_cycle": lambda t, step: t.polynomial_decay(0.5, step, 20, 0.01, power=0.5, cycle=True),
    "piecewise": lambda t, step: t.piecewise_constant(step, [5, 20], [1.0, 0.5, 0.1]),
    "cosine": lambda t, step: t.cosine_decay(0.5, step, 30, alpha=0.1),
    "cosine_restarts": lambda t, step: t.cosine_decay_restarts(0.5, step, 8, t_mul=1.5, m_mul=0.9, alpha=0.05),
    "linear_cosine": lambda t, step: t.linear_cosine_decay(0.5, step, 30, num_periods=0.7, alpha=0.1, beta=0.01),
}


def decay(make):
    def build(tf):
        step = tf.placeholder(tf.int32, [], name="step")
        rate = make(tf.train, step)
        return {"look": [tf.identity(rate, name="rate")], "feeds": [{step: np.int32(i)} for i in [*range(0, 45, 3), 5, 20, 100]]}
    return build


def averages(**options):
    def build(tf):
        step = tf.Variable(0, trainable=False, name="step")
        value = tf.Variable([1.0, -2.0], name="value")
        other = tf.placeholder(tf.float32, [2], name="other")
        steps = {"num_updates": step} if options.get("num_updates") else {}
        average = tf.train.ExponentialMovingAverage(0.7, zero_debias=options.get("zero_debias", False), **steps)
        update = tf.group(value.assign_add(other), step.assign_add(1))
        with tf.control_dependencies([update]):
            train = average.apply([value])
        assert average.average_name(value) == "value/ExponentialMovingAverage"
        assert average.average(value) is not None
        return {"train": train, "feeds": [{other: np.array([i, -i / 2], np.float32)} for i in range(6)]}
    return build


def average_of_tensor(zero_debias):
    def build(tf):
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.square(x, name="y")
        average = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
        return {"train": average.apply([y]), "feeds": [{x: np.arange(3).astype(np.float32) + i} for i in range(5)]}
    return build


def clips(tf):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    clipped, norm = tf.clip_by_global_norm([x, None, x * 2.0], 1.5)
    look = [tf.clip_by_value(x, -0.5, 0.7), tf.clip_by_norm(x, 1.2), tf.clip_by_norm(x, 0.5, axes=[1]),
            tf.clip_by_average_norm(x, 0.3), tf.global_norm([x, x]), norm, clipped[0], clipped[2],
            tf.gradients(tf.clip_by_norm(x, 1.2), x)[0], tf.gradients(tf.clip_by_value(x, -0.5, 0.7), x)[0]]
    return {"look": look, "feeds": [{x: np.random.RandomState(i).uniform(-s, s, (2, 3)).astype(np.float32)}
                                    for i, s in enumerate([0.1, 1, 10])] + [{x: np.zeros((2, 3), np.float32)}]}


def programs():
    for name, make in DECAYS.items():
        yield Program(name + "_decay", decay(make))
    yield Program("average", averages())
    yield Program("average_num_updates", averages(num_updates=True))
    yield Program("average_zero_debias", averages(zero_debias=True))
    yield Program("average_of_tensor", average_of_tensor(False))
    yield Program("average_of_tensor_zero_debias", average_of_tensor(True))
    yield Program("clips", clips)
