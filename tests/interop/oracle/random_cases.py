"""Random numbers for given seeds."""
from oracle.tensorflow1 import tf


def make(recorder):
    case = recorder.case
    for seed in (1, 99):
        for name, draw in [("uniform", lambda s: tf.random_uniform([3, 7], seed=s)), ("normal", lambda s: tf.random_normal([40, 9], seed=s)),
                           ("truncated", lambda s: tf.truncated_normal([33], seed=s)), ("ints", lambda s: tf.random_uniform([17], 0, 100, tf.int32, seed=s)),
                           ("double", lambda s: tf.random_normal([5, 5], dtype=tf.float64, seed=s)), ("shuffle", lambda s: tf.random_shuffle(list(range(20)), seed=s))]:
            case("random_%s_%d" % (name, seed), lambda draw=draw, seed=seed: draw(seed), [])
