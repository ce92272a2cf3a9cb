"""Random numbers for given seeds."""
import numpy as np

from oracle.tensorflow1 import tf

raw = tf.raw_ops
DRAWS = {
    "uniform": lambda s: tf.random_uniform([3, 7], seed=s),
    "uniform_half": lambda s: tf.random_uniform([9], dtype=tf.float16, seed=s),
    "uniform_bfloat16": lambda s: tf.random_uniform([9], dtype=tf.bfloat16, seed=s),
    "uniform_double": lambda s: tf.random_uniform([300], dtype=tf.float64, seed=s),
    "normal": lambda s: tf.random_normal([40, 9], seed=s),
    "normal_half": lambda s: tf.random_normal([9], dtype=tf.float16, seed=s),
    "normal_double": lambda s: tf.random_normal([5, 5], dtype=tf.float64, seed=s),
    "large_normal": lambda s: tf.random_normal([300, 401], seed=s)[::50, ::57],
    "truncated": lambda s: tf.truncated_normal([33], seed=s),
    "truncated_double": lambda s: tf.truncated_normal([33], dtype=tf.float64, seed=s),
    "large_truncated": lambda s: tf.truncated_normal([200, 200], seed=s)[::50, ::57],
    "ints": lambda s: tf.random_uniform([17], 0, 100, tf.int32, seed=s),
    "long_ints": lambda s: tf.random_uniform([17], -5, 10**12, tf.int64, seed=s),
    "shuffle": lambda s: tf.random_shuffle(list(range(20)), seed=s),
    "shuffle_rows": lambda s: tf.random_shuffle(np.arange(24).reshape(8, 3), seed=s),
    "multinomial": lambda s: tf.multinomial(tf.log([[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]]), 11, seed=s),
    "crop": lambda s: tf.random_crop(np.arange(30).reshape(5, 6), [2, 3], seed=s),
    "box": lambda s: list(raw.SampleDistortedBoundingBoxV2(image_size=[90, 120, 3], bounding_boxes=[[[0.1, 0.2, 0.6, 0.7]]],
                                                           min_object_covered=0.3, seed=s, seed2=9)),
    "box_v1": lambda s: list(raw.SampleDistortedBoundingBox(image_size=[90, 120, 3], bounding_boxes=[[[0.1, 0.2, 0.6, 0.7]]], seed=s, seed2=9)),
    "gamma": lambda s: tf.random_gamma([6], [0.5, 2.0], seed=s),
    "poisson": lambda s: tf.random_poisson([0.5, 20.0], [6], seed=s),
    "parameterized": lambda s: raw.ParameterizedTruncatedNormal(shape=[2, 5], means=0.5, stdevs=2.0, minvals=-1.0, maxvals=3.0, seed=s, seed2=7),
    "stateless_uniform": lambda s: raw.StatelessRandomUniform(shape=[7], seed=[s, 3]),
    "stateless_normal": lambda s: raw.StatelessRandomNormal(shape=[7], seed=[s, 3]),
    "stateless_truncated": lambda s: raw.StatelessTruncatedNormal(shape=[7], seed=[s, 3]),
    "stateless_ints": lambda s: raw.StatelessRandomUniformInt(shape=[7], seed=[s, 3], minval=2, maxval=50),
    "stateless_multinomial": lambda s: raw.StatelessMultinomial(logits=[[0.1, 0.2, 0.3]], num_samples=9, seed=[s, 3]),
}

SAMPLERS = {
    "UniformCandidateSampler": {}, "LogUniformCandidateSampler": {}, "LearnedUnigramCandidateSampler": {}, "ThreadUnsafeUnigramCandidateSampler": {},
    "FixedUnigramCandidateSampler": {"unigrams": [1.0, 5.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 4.0, 1.0], "distortion": 0.75},
}


def samplers(recorder):
    """Candidate samplers for sampled losses, with fixed labels."""
    labels = np.int64([[1], [7], [3]])
    for op, more in SAMPLERS.items():
        for unique in (False, True):
            recorder.case("%s unique=%s" % (op, unique), lambda x, op=op, unique=unique, more=more: list(
                getattr(raw, op)(true_classes=x, num_true=1, num_sampled=6, unique=unique, range_max=10, seed=3, seed2=4, **more)), [labels], grad=False)
    recorder.case("AllCandidateSampler", lambda x: list(raw.AllCandidateSampler(true_classes=x, num_true=1, num_sampled=10, unique=True)), [labels], grad=False)
    recorder.case("ComputeAccidentalHits", lambda x, c: list(raw.ComputeAccidentalHits(true_classes=x, sampled_candidates=c, num_true=1)),
                  [labels, np.int64([7, 2, 1, 7])], grad=False)


def make(recorder):
    samplers(recorder)
    for name, draw in DRAWS.items():
        for seed in (1, 99, 12345):
            recorder.case("%s with seed %d" % (name, seed), lambda draw=draw, seed=seed: draw(seed))
        recorder.case("%s with a graph seed" % name, lambda draw=draw: (tf.set_random_seed(42), draw(5))[1])
