"""Candidate samplers, sampled losses, local response normalization, and gradients of samples and of sparse tensors."""
import numpy as np

from oracle.draw import real
from oracle.tensorflow1 import tf

CLASSES = np.array([[0, 1], [2, 3], [4, 0]], np.int64)
COUNTS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]


def samplers(recorder):
    for unique, n, most in [(True, 4, 7), (False, 6, 1000), (True, 50, 100), (False, 300, 2 ** 40)]:
        for name in ["uniform", "log_uniform", "learned_unigram"]:
            if name == "learned_unigram" and most > 1000:
                continue
            function = getattr(tf.nn, name + "_candidate_sampler")
            recorder.case("%s %s %d of %d" % (name, unique, n, most), lambda c, f=function, u=unique, n=n, m=most: f(c, 2, n, u, m, seed=5), [CLASSES])
    for more in [dict(distortion=0.75), dict(num_reserved_ids=2), dict(num_shards=2, shard=1), dict(num_reserved_ids=3, num_shards=2, shard=1)]:
        for unique in (True, False):
            count = sum(1 for i in range(more.get("num_reserved_ids", 0)) if i % more.get("num_shards", 1) == more.get("shard", 0))
            count += sum(1 for i in range(count, count + 7) if i % more.get("num_shards", 1) == more.get("shard", 0))
            recorder.case("fixed_unigram %s %s" % (sorted(more), unique), lambda c, u=unique, count=count, more=more: tf.nn.fixed_unigram_candidate_sampler(
                c, 1, 3, u, count, unigrams=COUNTS, seed=9, **more), [np.array([[0], [1]], np.int64)])
    recorder.case("all_candidates", lambda c: tf.nn.all_candidate_sampler(c, 2, 5, True), [CLASSES])
    recorder.case("accidental_hits", lambda c, s: tf.nn.compute_accidental_hits(c, s, 2), [CLASSES, np.array([3, 0, 3, 9], np.int64)])
    for name, classes, arguments in [("a class out of range", [[9]], (1, 5, True, 6)), ("too few classes", [[1]], (1, 5, True, 3)),
                                     ("another number of true classes", [[1, 2]], (1, 5, True, 30))]:
        recorder.error("uniform: " + name, lambda c, a=arguments: tf.nn.uniform_candidate_sampler(c, *a), [np.array(classes, np.int64)])


def losses(recorder):
    sampled = (np.array([1, 2, 0, 5], np.int64), np.array([0.9, 0.8, 0.7, 0.6], np.float32))
    for name, function in [("sampled_softmax", tf.nn.sampled_softmax_loss), ("nce", tf.nn.nce_loss)]:
        for num_true in (1, 2):
            for remove in (False, True):
                def loss(w, b, x, expected, function=function, num_true=num_true, remove=remove):
                    return function(weights=w, biases=b, labels=CLASSES[:, :num_true], inputs=x, num_sampled=4, num_classes=7, num_true=num_true,
                                    sampled_values=(tf.constant(sampled[0]), expected, tf.constant(sampled[1])), remove_accidental_hits=remove)

                recorder.case("%s %d %s" % (name, num_true, remove), loss, [real(7, 3), real(7), real(3, 3), real(3, num_true, low=0.1, high=0.9)])


def make(recorder):
    samplers(recorder)
    losses(recorder)
    case = recorder.case
    for radius in (0, 2, 9):
        case("lrn %d" % radius, lambda x, r=radius: tf.nn.lrn(x, r, 1.5, 0.7, 0.6), [real(2, 3, 2, 6)])
    case("gamma samples", lambda a, b: tf.random_gamma([50], a, b, seed=4), [real(2, 3, low=0.1, high=9.0), real(3, low=0.5, high=2.0)], grad=False)
    case("gamma slopes", lambda a, x: tf.raw_ops.RandomGammaGrad(alpha=a, sample=x),
         [real(40, low=0.05, high=30.0, dtype=np.float64), real(40, low=0.01, high=40.0, dtype=np.float64)], grad=False)
    indices, others = [[0, 1], [1, 2], [2, 0]], [[0, 1], [2, 3]]
    case("sparse_slice", lambda v: tf.sparse_slice(tf.SparseTensor(indices, v, [3, 4]), [1, 0], [2, 3]).values, [real(3)])
    case("sparse_add", lambda v, w: tf.sparse_add(tf.SparseTensor(indices, v, [3, 4]), tf.SparseTensor(others, w, [3, 4])).values, [real(3), real(2)])
