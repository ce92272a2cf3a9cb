"""Tests tf.nn under its public names, with numpy as the reference."""
import numpy as np
import pytest
import weir as tf

LOGITS = np.array([[1.0, 2.0, 0.5], [-1.0, 0.0, 3.0]], np.float32)
LABELS = np.array([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], np.float32)


def value(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def close(make, expected, tolerance=1e-5):
    np.testing.assert_allclose(value(make), expected, rtol=tolerance, atol=1e-6)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def test_activations():
    close(lambda: tf.nn.relu(LOGITS), np.maximum(LOGITS, 0))
    close(lambda: tf.nn.relu6(LOGITS * 5), np.clip(LOGITS * 5, 0, 6))
    close(lambda: tf.nn.leaky_relu(LOGITS, 0.1), np.where(LOGITS > 0, LOGITS, 0.1 * LOGITS))
    close(lambda: tf.nn.elu(LOGITS), np.where(LOGITS > 0, LOGITS, np.expm1(LOGITS)))
    close(lambda: tf.nn.softplus(LOGITS), np.log1p(np.exp(LOGITS)))
    close(lambda: tf.nn.softsign(LOGITS), LOGITS / (1 + np.abs(LOGITS)))
    close(lambda: tf.nn.crelu(LOGITS), np.maximum(np.concatenate([LOGITS, -LOGITS], -1), 0))
    close(lambda: tf.nn.swish(LOGITS), LOGITS / (1 + np.exp(-LOGITS)))


def test_softmax():
    close(lambda: tf.nn.softmax(LOGITS), softmax(LOGITS))
    close(lambda: tf.nn.softmax(LOGITS, axis=0), softmax(LOGITS, 0))
    close(lambda: tf.nn.softmax(LOGITS, dim=0), softmax(LOGITS, 0))
    close(lambda: tf.nn.log_softmax(LOGITS), np.log(softmax(LOGITS)))


def test_cross_entropies():
    expected = -(LABELS * np.log(softmax(LOGITS))).sum(-1)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits(labels=LABELS, logits=LOGITS), expected)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits(LOGITS, LABELS), expected)
    close(lambda: tf.nn.softmax_cross_entropy_with_logits_v2(LABELS, LOGITS), expected)
    whole = np.eye(3, dtype=np.int32)[[1, 2]]  # labels are cast to the type of the logits
    expected = -np.log(softmax(LOGITS))[[0, 1], [1, 2]]
    for labels in (whole, tf.constant, lambda x: tf.constant(x, tf.float64)):
        close(lambda: tf.nn.softmax_cross_entropy_with_logits(labels=labels(whole) if callable(labels) else labels, logits=LOGITS), expected)
    sparse = -np.log(softmax(LOGITS))[[0, 1], [1, 2]]
    close(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=LOGITS), sparse)
    close(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(LOGITS, np.array([1, 2], np.int64)), sparse)
    p = 1 / (1 + np.exp(-LOGITS))
    sigmoid = -LABELS * np.log(p) - (1 - LABELS) * np.log(1 - p)
    close(lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=LABELS, logits=LOGITS), sigmoid)
    close(lambda: tf.nn.sigmoid_cross_entropy_with_logits(LOGITS, LABELS), sigmoid)
    close(lambda: tf.nn.weighted_cross_entropy_with_logits(targets=LABELS, logits=LOGITS, pos_weight=1.0), sigmoid)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.softmax_cross_entropy_with_logits(logits=LOGITS))


def test_dropout():
    x = np.ones([1000], np.float32)
    for make in (lambda: tf.nn.dropout(x, 0.5, seed=1), lambda: tf.nn.dropout(x, rate=0.5, seed=1)):
        got = value(make)
        assert set(np.unique(got)) == {0.0, 2.0} and 400 < (got > 0).sum() < 600
    close(lambda: tf.nn.dropout(tf.constant(x), 1.0), x)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.dropout(x, keep_prob=0.0))
    with pytest.raises(ValueError):
        value(lambda: tf.nn.dropout(x))


def test_normalization():
    mean, variance = value(lambda: tf.nn.moments(tf.constant(LOGITS), [0]))
    np.testing.assert_allclose(mean, LOGITS.mean(0), rtol=1e-5)
    np.testing.assert_allclose(variance, LOGITS.var(0), rtol=1e-5)
    assert value(lambda: tf.nn.moments(LOGITS, [0, 1], keep_dims=True))[0].shape == (1, 1)
    close(lambda: tf.nn.batch_normalization(LOGITS, 0.5, 4.0, 1.0, 2.0, 0.0), (LOGITS - 0.5) / 2 * 2 + 1)
    close(lambda: tf.nn.batch_normalization(tf.constant(LOGITS), tf.constant(0.5), tf.constant(4.0), None, None, 0.0), (LOGITS - 0.5) / 2)
    close(lambda: tf.cast(tf.nn.batch_normalization(tf.cast(LOGITS, tf.half), tf.constant(0.5), tf.constant(4.0), None, None, 0.0), tf.float32),
          (LOGITS - 0.5) / 2)  # statistics of another type
    close(lambda: tf.nn.l2_normalize(LOGITS, 1), LOGITS / np.linalg.norm(LOGITS, axis=1, keepdims=True))
    close(lambda: tf.nn.l2_normalize(LOGITS, dim=0), LOGITS / np.linalg.norm(LOGITS, axis=0, keepdims=True))
    close(lambda: tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0]), 0.5)
    close(lambda: tf.nn.l2_loss(LOGITS), (LOGITS ** 2).sum() / 2)


def test_layers():
    w, b = np.random.RandomState(0).rand(3, 2).astype(np.float32), np.float32([0.5, -9.0])
    close(lambda: tf.nn.xw_plus_b(LOGITS, w, b), LOGITS @ w + b)
    close(lambda: tf.nn.relu_layer(LOGITS, w, b), np.maximum(LOGITS @ w + b, 0))
    close(lambda: tf.nn.bias_add(LOGITS, [1.0, 2.0, 3.0]), LOGITS + [1, 2, 3])


TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)


def test_embedding_lookup():
    close(lambda: tf.nn.embedding_lookup(TABLE, [3, 1]), TABLE[[3, 1]])
    close(lambda: tf.nn.embedding_lookup(tf.constant(TABLE), [[3], [1]]), TABLE[[[3], [1]]])
    parts = [TABLE[0::2], TABLE[1::2]]
    close(lambda: tf.nn.embedding_lookup([tf.constant(p) for p in parts], [3, 0, 4]), TABLE[[3, 0, 4]])
    halves = [TABLE[:3], TABLE[3:]]
    close(lambda: tf.nn.embedding_lookup([tf.constant(p) for p in halves], [3, 0, 4], partition_strategy="div"), TABLE[[3, 0, 4]])
    norms = np.maximum(np.linalg.norm(TABLE[[3, 0]], axis=1, keepdims=True), 1)
    close(lambda: tf.nn.embedding_lookup(TABLE, [3, 0], max_norm=1.0), TABLE[[3, 0]] / norms)
    with pytest.raises(ValueError):
        value(lambda: tf.nn.embedding_lookup([], [1]))
    with pytest.raises(ValueError):
        value(lambda: tf.nn.embedding_lookup(TABLE, [1], partition_strategy="no"))


def test_embedding_lookup_of_variables():
    with tf.Graph().as_default(), tf.Session() as s:
        for resource in (False, True):
            table = tf.Variable(TABLE, use_resource=resource)
            rows = tf.nn.embedding_lookup(table, [2, 2])
            (gradient,) = tf.gradients(tf.reduce_sum(rows), [table])
            assert isinstance(gradient, tf.IndexedSlices)
            s.run(table.initializer)
            np.testing.assert_array_equal(s.run(rows), TABLE[[2, 2]])


def test_embedding_lookup_sparse():
    def lookup(combiner):
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 3, 4]), [2, 2])
        return tf.nn.embedding_lookup_sparse(tf.constant(TABLE), ids, None, combiner=combiner)
    close(lambda: lookup("sum"), [TABLE[1] + TABLE[3], TABLE[4]])
    close(lambda: lookup("mean"), [(TABLE[1] + TABLE[3]) / 2, TABLE[4]])


def runs(make, count=2):
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = make()
        return [session.run(tensors) for _ in range(count)]


CLASSES = [[0, 1], [2, 3], [4, 0]]


def test_candidate_samplers(tmp_path):
    """The same classes and counts as TensorFlow's, over several runs."""
    def drawn(make, expected):
        for values, (sampled, true_counts, sampled_counts) in zip(runs(make, len(expected)), expected):
            assert values[0].tolist() == sampled
            np.testing.assert_allclose(values[1], true_counts, rtol=1e-6)
            np.testing.assert_allclose(values[2], sampled_counts, rtol=1e-6)

    even = np.full([3, 2], 1, np.float32)
    drawn(lambda: tf.nn.uniform_candidate_sampler(CLASSES, 2, 4, True, 7, seed=5),
          [([5, 3, 2, 1], even * 0.5714286, [0.5714286] * 4), ([2, 6, 1, 4], even * 0.5373357, [0.5373357] * 4)])
    drawn(lambda: tf.nn.uniform_candidate_sampler(CLASSES, 2, 6, False, 1000, seed=5),
          [([135, 8, 416, 361, 200, 945], even * 0.006, [0.006] * 6), ([961, 280, 327, 810, 791, 30], even * 0.006, [0.006] * 6)])
    drawn(lambda: tf.nn.log_uniform_candidate_sampler(CLASSES, 2, 4, True, 7, seed=5),
          [([0, 2, 3, 5], [[0.96098155, 0.8236315], [0.6961467, 0.5967189], [0.5200625, 0.96098155]],
            [0.96098155, 0.6961467, 0.5967189, 0.45999593]),
           ([3, 1, 0, 5], [[0.9739877, 0.8580212], [0.7381836, 0.63999474], [0.56214255, 0.9739877]],
            [0.63999474, 0.8580212, 0.9739877, 0.5000269])])
    drawn(lambda: tf.nn.log_uniform_candidate_sampler([[0]], 1, 6, False, 1000, seed=5),
          [([1, 39, 129, 106, 0, 51], [[0.60197294]], [0.35213158, 0.021444628, 0.0066549238, 0.0080787875, 0.60197294, 0.016542658])])
    drawn(lambda: tf.nn.learned_unigram_candidate_sampler(CLASSES, 2, 4, True, 7, seed=5),
          [([3, 4, 1, 6], even * 0.5373357, [0.5373357] * 4),
           ([0, 3, 2, 4], [[0.7306709, 0.5662428], [0.5662428, 0.5662428], [0.5662428, 0.7306709]], [0.7306709] + [0.5662428] * 3),
           ([2, 4, 6, 0], [[1.0526316, 0.6315789], [0.6315789, 0.6315789], [0.6315789, 1.0526316]],
            [0.6315789, 0.6315789, 0.21052632, 1.0526316])])
    drawn(lambda: tf.raw_ops.ThreadUnsafeUnigramCandidateSampler(true_classes=CLASSES, num_true=2, num_sampled=4, unique=True, range_max=7,
                                                                 seed=5, seed2=3),
          [([4, 3, 5, 2], even * 0.60343057, [0.60343057] * 4)])
    counts = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    drawn(lambda: tf.nn.fixed_unigram_candidate_sampler([[0, 6]], 2, 6, False, 7, unigrams=counts, distortion=0.75, seed=5),
          [([4, 4, 5, 6, 3, 6], [[0.31135505, 1.3399218]], [1.0410784, 1.0410784, 1.193629, 1.3399218, 0.88064516, 1.3399218]),
           ([1, 0, 5, 0, 5, 4], [[0.31135505, 1.3399218]], [0.52363473, 0.31135505, 1.193629, 0.31135505, 1.193629, 1.0410784])])
    drawn(lambda: tf.nn.fixed_unigram_candidate_sampler([[1, 2]], 2, 3, True, 9, unigrams=counts, num_reserved_ids=2, seed=5),
          [([8, 7, 5], [[0, 0.13538468]], [0.68359375, 0.6188828, 0.46022493])])
    drawn(lambda: tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 3, True, 3, unigrams=counts, num_shards=2, shard=1, seed=5),
          [([2, 1, 0], [[0.5981224]], [0.96875, 0.8683128, 0.5981224])])
    vocabulary = tmp_path / "vocabulary.csv"
    vocabulary.write_text("a,1\nb,2\n\nx,c,4\nd,8\n")
    drawn(lambda: tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 3, True, 4, vocab_file=str(vocabulary), seed=5),
          [([3, 2, 1], [[0.46255878]], [0.9989503, 0.9386644, 0.7241527]), ([1, 2, 3], [[0.2]], [0.4, 0.8, 1.6])])
    drawn(lambda: tf.nn.all_candidate_sampler(CLASSES, 2, 5, True), [([0, 1, 2, 3, 4], even, [1] * 5)])
    with tf.Graph().as_default():
        sampler = tf.nn.log_uniform_candidate_sampler(tf.placeholder(tf.int64, [None, 2]), 2, 6, True, 1000)
        assert [t.shape.as_list() for t in sampler] == [[6], [None, 2], [6]]
        assert sampler.sampled_candidates.name == "LogUniformCandidateSampler:0"


def test_candidate_sampler_errors(tmp_path):
    def fails(error, text, make):
        with pytest.raises(error, match=text):
            value(make)

    invalid = tf.errors.InvalidArgumentError
    fails(invalid, "out of range", lambda: tf.nn.uniform_candidate_sampler([[9]], 1, 5, True, 6))
    fails(invalid, "out of range", lambda: tf.nn.log_uniform_candidate_sampler([[-9]], 1, 5, True, 6))
    fails(invalid, "out of range", lambda: tf.nn.learned_unigram_candidate_sampler([[6]], 1, 5, True, 6))
    fails(invalid, "out of range", lambda: tf.nn.all_candidate_sampler([[5]], 1, 5, True))
    fails(invalid, "range is too small", lambda: tf.nn.uniform_candidate_sampler([[1]], 1, 5, True, 3))
    fails(invalid, "num_true", lambda: tf.nn.uniform_candidate_sampler([[1, 2]], 1, 5, True, 30))
    fails(ValueError, "rank", lambda: tf.nn.uniform_candidate_sampler([1, 2], 1, 5, True, 30))
    fails(ValueError, "num_sampled", lambda: tf.nn.uniform_candidate_sampler([[1]], 1, 0, True, 30))

    def fixed(count, **arguments):
        return lambda: tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 3, True, count, **arguments)

    fails(invalid, "range_max is 5", fixed(5, unigrams=[1.0, 2.0, 3.0]))
    fails(invalid, "either", fixed(5))
    fails(invalid, "only", fixed(5, unigrams=[1.0], vocab_file="x"))
    fails(invalid, "shard 2 must be less than num_shards 2", fixed(3, unigrams=[1.0, 2.0, 3.0], num_shards=2, shard=2))
    fails(invalid, "frequencies", fixed(4, unigrams=[1.0, 2.0, -3.0, 1.0]))
    fails(invalid, "range is too small", fixed(4, unigrams=[1.0, 2.0, 0.0, 0.0]))  # cannot draw three different classes
    fails(tf.errors.NotFoundError, "nothing_here", fixed(4, vocab_file=str(tmp_path / "nothing_here")))
    broken = tmp_path / "broken.csv"
    broken.write_text("a,1\nb,z\n")
    fails(invalid, "b,z", fixed(2, vocab_file=str(broken)))


def test_accidental_hits():
    hits = value(lambda: tf.nn.compute_accidental_hits([[0, 1], [2, 3]], [3, 0, 3, 9], 2))
    lowest = np.finfo(np.float32).min
    assert hits.indices.tolist() == [0, 1] and hits.ids.tolist() == [1, 2] and hits.weights.tolist() == [lowest, lowest]
    none = value(lambda: tf.nn.compute_accidental_hits(np.zeros([0, 2], np.int64), [3], 2))
    assert [x.tolist() for x in none] == [[], [], []]
    with pytest.raises(ValueError, match="Dimension must be 3 but is 2"):
        value(lambda: tf.nn.compute_accidental_hits([[0, 1]], [3], 3))


def sampled_loss(function, wanted, num_true=1, fixed=True, **arguments):
    """Compares the losses, and the gradients of weights, biases and inputs that `wanted` contains."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.constant(np.linspace(-1, 1, 21).reshape(7, 3).astype(np.float32))
        biases = tf.constant(np.linspace(0, 1, 7).astype(np.float32))
        inputs = tf.constant(np.linspace(-0.5, 0.8, 9).reshape(3, 3).astype(np.float32))
        if fixed:
            true_expected = [[0.5], [0.3], [0.2]] if num_true == 1 else [[0.5, 0.25], [0.3, 0.1], [0.2, 0.7]]
            arguments["sampled_values"] = (tf.constant([1, 2, 0, 5], tf.int64), tf.constant(true_expected), tf.constant([0.9, 0.8, 0.7, 0.6]))
        labels = [[0], [2], [4]] if num_true == 1 else CLASSES
        loss = function(weights=weights, biases=biases, labels=tf.constant(labels, tf.int64), inputs=inputs, num_sampled=4, num_classes=7,
                        num_true=num_true, **arguments)
        fetches = [loss] + [tf.convert_to_tensor(g) for g in tf.gradients(loss, [biases, inputs])]
        for run in wanted:
            for got, expected in zip(session.run(fetches), run):
                np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_sampled_losses():
    """Compared with TensorFlow's numbers, with given candidates and with seeded samplers."""
    softmax, nce = tf.nn.sampled_softmax_loss, tf.nn.nce_loss
    sampled_loss(softmax, [([0.8668551, 0.9994976, 0.584829], [-0.4852105, 0.30774382, -0.4005694, 0, -0.4427989, 1.0208349, 0],
                            [[0.4455898] * 3, [0.33043253] * 3, [0.07585295] * 3])])
    sampled_loss(softmax, [([1.0136285, 1.2128413, 2.6920438], [-0.68234, 0.029048227, -0.19010481, 0.0988754, 0.057201087, 0.6873201, 0])],
                 num_true=2)
    sampled_loss(softmax, [([1.1293683, 1.1287911, 0.584829], [-0.3618251, 0.24973674, -0.37002915, 0, -0.4427989, 0.92491657, 0])],
                 remove_accidental_hits=False)
    sampled_loss(softmax, [([1.3841748, 2.1999009, 1.3365899], [-0.6956857, 0, -0.88918585, 0.53559923, -0.22036684, 1.2696393, 0]),
                           ([1.4277976, 1.9042857, 1.3823301], [-0.69412446, 0, -0.5567361, 0.59525645, -0.749007, 1.4046111, 0])],
                 fixed=False, seed=11)
    sampled_loss(nce, [([5.3547707, 4.378005, 3.9487162], [1.3278791, 1.5229548, 1.6324928, 0, -0.053032756, 2.447596, 0],
                        [[-1.0645208, -0.79159826, -0.51867574], [-0.6005594, -0.3743247, -0.14809], [-0.16867283, 0.01995897, 0.20859072]])])
    sampled_loss(nce, [([4.5844254, 5.6243258, 6.055931], [0.5419724, 1.2091557, 1.5209084, 0.4445426, 0.44696724, 2.447596, 0])],
                 num_true=2, remove_accidental_hits=True)
    with pytest.raises(ValueError):
        sampled_loss(softmax, [], partition_strategy="other")


def test_local_response_normalization():
    x = np.linspace(-1, 1, 12).reshape(1, 1, 2, 6).astype(np.float32)

    def numpy_lrn(x, radius, bias, alpha, beta):
        sums = np.stack([(x[..., max(0, k - radius):k + radius + 1] ** 2).sum(-1) for k in range(x.shape[-1])], -1)
        return x * (bias + alpha * sums) ** -beta

    close(lambda: tf.nn.lrn(x), numpy_lrn(x, 5, 1, 1, 0.5))
    close(lambda: tf.nn.local_response_normalization(x, depth_radius=1, bias=2.0, alpha=0.3, beta=0.75), numpy_lrn(x, 1, 2, 0.3, 0.75))
    close(lambda: tf.nn.lrn(x, 0), numpy_lrn(x, 0, 1, 1, 0.5))
    close(lambda: tf.nn.lrn(x.astype(np.float16)), numpy_lrn(x, 5, 1, 1, 0.5), 2e-3)
    assert value(lambda: tf.nn.lrn(np.zeros([2, 0, 3, 4], np.float32))).shape == (2, 0, 3, 4)

    def with_gradient():
        images = tf.constant(x)
        y = tf.nn.lrn(images, 2, 1.5, 0.7, 0.6)
        return [y, tf.gradients(y, images)[0]]

    y, gradient = value(with_gradient)  # TensorFlow's numbers
    np.testing.assert_allclose(y[0, 0, 0], [-0.5223052, -0.41525117, -0.31975812, -0.26521292, -0.18069558, -0.06606299], rtol=1e-5)
    np.testing.assert_allclose(gradient[0, 0, 1], [0.7085305, 0.58479905, 0.40268272, 0.17554326, 0.14971855, 0.17574288], rtol=1e-5)
    with pytest.raises(ValueError, match="rank"):
        value(lambda: tf.nn.lrn(x[0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="depth_radius"):
        value(lambda: tf.nn.lrn(x, -1))
    with pytest.raises(ValueError):
        value(lambda: tf.raw_ops.LRNGrad(input_grads=x, input_image=x, output_image=x[..., 1:]))


def test_bias_add_in_every_type():
    for dtype in ("uint16", "uint32", "uint64", "complex64", "complex128"):
        value, bias = np.arange(6).reshape(2, 3).astype(dtype), np.array([1, 2, 3], dtype)
        y = tf.nn.bias_add(tf.constant(value), tf.constant(bias))
        with tf.Session() as sess:
            np.testing.assert_array_equal(sess.run(y), value + bias)
    b = tf.constant(np.array([1 + 2j, 3j]))
    grad = tf.gradients(tf.real(tf.nn.bias_add(tf.zeros([3, 2], tf.complex128), b)), b)[0]
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(grad), [3, 3])


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4), (2, 1, 3, 2)])
def test_cross_entropy_along_each_axis(shape):
    rng = np.random.RandomState(0)
    logits, labels = rng.randn(*shape).astype(np.float32), rng.rand(*shape).astype(np.float32)
    for axis in [-1, *range(len(shape))]:
        wanted = -(labels * (logits - np.log(np.exp(logits).sum(axis, keepdims=True)))).sum(axis)
        for make in (lambda: tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=axis),
                     lambda: tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=axis)):
            np.testing.assert_allclose(value(make), wanted, rtol=1e-4, atol=1e-5)


def test_clip_by_norm_over_no_axes_is_by_element():
    x = np.array([[3.0, -4.0], [0.5, 1.0]], np.float32)
    np.testing.assert_allclose(value(lambda: tf.clip_by_norm(x, 2.0, axes=[])), [[2.0, -2.0], [0.5, 1.0]])
    np.testing.assert_allclose(value(lambda: tf.clip_by_norm(x, 1.0, axes=tf.constant([1]))), [[0.6, -0.8], [0.447214, 0.894427]], rtol=1e-5)
    with pytest.raises(ValueError, match="incompatible"):
        value(lambda: tf.clip_by_norm(x[0], [[1.0], [2.0]]))


def test_the_norm_of_embeddings_is_by_row():
    table = np.array([3.0, -0.5, 4.0], np.float32)
    np.testing.assert_allclose(value(lambda: tf.nn.embedding_lookup(table, [0, 1], max_norm=1.0)), [1.0, -0.5])
    np.testing.assert_allclose(value(lambda: tf.nn.embedding_lookup([table[:2], table[2:]], [0, 1], max_norm=1.0)), [1.0, 1.0])
