"""Tests tf.contrib.crf and CTC of tf.nn against brute force: sums over all sequences of tags, and over all alignments."""
import itertools

import numpy as np
import pytest

import weir as tf
from evaluation import evaluate, random_values

CRF = tf.contrib.crf
LENGTHS = np.array([3, 1, 0, 2], np.int32)


# --- conditional random fields ---
INPUTS, TRANSITIONS = random_values(4, 3, 3), random_values(3, 3, seed=1)


def score_of(row, tags):
    return sum(INPUTS[row, t, tag] for t, tag in enumerate(tags)) + sum(TRANSITIONS[a, b] for a, b in zip(tags, tags[1:]))


def all_scores(row, allowed=None):
    """{tags: score} of all sequences of the row's length."""
    choices = [range(3) if allowed is None else np.flatnonzero(allowed[row, t]) for t in range(LENGTHS[row])]
    return {tags: score_of(row, tags) for tags in itertools.product(*choices)}


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_scores_of_given_tags(dtype):
    tags = np.array([[0, 2, 1], [1, 0, 0], [2, 2, 2], [0, 0, 1]])
    given = tf.constant(tags, dtype)
    unary, binary, both = evaluate([CRF.crf_unary_score(given, LENGTHS, INPUTS), CRF.crf_binary_score(given, LENGTHS, TRANSITIONS),
                                    CRF.crf_sequence_score(INPUTS, given, LENGTHS, TRANSITIONS)])
    np.testing.assert_allclose(both, [score_of(row, tags[row, :length]) if length else 0 for row, length in enumerate(LENGTHS)], rtol=1e-5)
    np.testing.assert_allclose(unary + binary, both, rtol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_norm_and_likelihood(known):
    x = tf.placeholder(tf.float32, [4, 3, 3] if known else [None, None, 3])
    tags = np.array([[0, 2, 1], [1, 0, 0], [2, 2, 2], [0, 0, 1]], np.int32)
    likelihood, transitions = CRF.crf_log_likelihood(x, tags, LENGTHS)
    assert [v.op.name for v in tf.trainable_variables()] == ["transitions"] and transitions.shape.as_list() == [3, 3]
    norm = CRF.crf_log_norm(x, LENGTHS, TRANSITIONS)
    gradient, = tf.gradients(likelihood, tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.trainable_variables()[0].assign(TRANSITIONS))
        found, norm, slope = sess.run([likelihood, norm, gradient], {x: INPUTS})
    expected = [np.log(np.sum(np.exp(list(all_scores(row).values())))) if LENGTHS[row] else 0 for row in range(4)]
    np.testing.assert_allclose(norm, expected, rtol=1e-5)
    scores = [score_of(row, tags[row, :length]) for row, length in enumerate(LENGTHS)]
    np.testing.assert_allclose(found, np.subtract(scores, expected), rtol=1e-5, atol=1e-6)
    # the gradient: how often each pair occurs, minus how often it is expected to
    counts = np.zeros((3, 3))
    for row in range(4):
        for pair in zip(tags[row, :LENGTHS[row]], tags[row, 1:LENGTHS[row]]):
            counts[pair] += 1
        for path, score in all_scores(row).items():
            for pair in zip(path, path[1:]):
                counts[pair] -= np.exp(score - expected[row])
    np.testing.assert_allclose(slope, counts, rtol=1e-4, atol=1e-5)


def test_several_allowed_tags():
    allowed = np.array([[[1, 0, 1], [1, 1, 1], [0, 1, 0]], [[0, 1, 1]] * 3, [[1, 0, 0]] * 3, [[1, 1, 0], [1, 0, 1], [1, 1, 1]]], bool)
    found = evaluate(CRF.crf_multitag_sequence_score(INPUTS, allowed, LENGTHS, TRANSITIONS))
    expected = [np.log(np.sum(np.exp(list(all_scores(row, allowed).values())))) if LENGTHS[row] else 0 for row in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_decoding():
    tags, best = evaluate(CRF.crf_decode(INPUTS, TRANSITIONS, LENGTHS))
    assert tags.dtype == np.int32
    for row, length in enumerate(LENGTHS):
        if length == 0:
            continue
        path, score = max(all_scores(row).items(), key=lambda item: item[1])
        assert tuple(tags[row, :length]) == path
        assert best[row] == pytest.approx(score, rel=1e-5)
        viterbi, viterbi_score = CRF.viterbi_decode(INPUTS[row, :length], TRANSITIONS)
        assert tuple(viterbi) == path and viterbi_score == pytest.approx(score, rel=1e-5)


def test_one_step():
    tags, best = evaluate(CRF.crf_decode(INPUTS[:, :1], TRANSITIONS, [1] * 4))
    np.testing.assert_array_equal(tags[:, 0], INPUTS[:, 0].argmax(1))
    np.testing.assert_allclose(best, INPUTS[:, 0].max(1))
    norm = evaluate(CRF.crf_log_norm(INPUTS[:, :1], [1] * 4, TRANSITIONS))
    np.testing.assert_allclose(norm, np.log(np.exp(INPUTS[:, 0]).sum(1)), rtol=1e-5)


def test_the_cells():
    cell = CRF.CrfForwardRnnCell(tf.constant(TRANSITIONS))
    assert cell.output_size == cell.state_size == 3
    _, alphas = tf.nn.dynamic_rnn(cell, tf.constant(INPUTS[:, 1:]), initial_state=tf.constant(INPUTS[:, 0]), dtype=tf.float32)
    norm = CRF.crf_log_norm(INPUTS, [3] * 4, TRANSITIONS)
    alphas, norm = evaluate([tf.reduce_logsumexp(alphas, 1), norm])
    np.testing.assert_allclose(alphas, norm, rtol=1e-5)
    pointers, state = CRF.CrfDecodeForwardRnnCell(TRANSITIONS)(tf.constant(INPUTS[:, 1]), tf.constant(INPUTS[:, 0]))
    tag, _ = CRF.CrfDecodeBackwardRnnCell(3)(pointers, tf.expand_dims(tf.argmax(state, 1, output_type=tf.int32), 1))
    assert evaluate(tag).shape == (4, 1)


def test_wrong_potentials():
    with pytest.raises(ValueError, match="known number of tags"):
        CRF.crf_log_likelihood(tf.placeholder(tf.float32, [2, 3, None]), tf.zeros([2, 3], tf.int32), [3, 3])
    with pytest.raises(ValueError, match="transition_params"):
        CRF.viterbi_decode(INPUTS[0], TRANSITIONS[:2])


# --- connectionist temporal classification ---
def collapsed(path, blank):
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def probabilities(logits, blank):
    """{labels: probability}, summed over all alignments. `logits` are [steps, classes]."""
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    found = {}
    for path in itertools.product(range(logits.shape[1]), repeat=len(logits)):
        labels = collapsed(path, blank)
        found[labels] = found.get(labels, 0) + np.prod([p[t, c] for t, c in enumerate(path)])
    return found


LOGITS = random_values(4, 2, 3, seed=2) * 2
LABELS = [(0, 1), (1,)]
STEPS = np.array([4, 3], np.int32)


def sparse_labels(labels):
    indices = [(row, i) for row, own in enumerate(labels) for i in range(len(own))]
    return tf.SparseTensor(np.array(indices, np.int64), np.array([label for own in labels for label in own], np.int32),
                           [len(labels), max(map(len, labels))])


@pytest.mark.parametrize("time_major", [True, False])
def test_loss(time_major):
    given = tf.constant(LOGITS if time_major else LOGITS.transpose(1, 0, 2))
    loss = tf.nn.ctc_loss(sparse_labels(LABELS), given, STEPS, time_major=time_major)
    slope, = tf.gradients(loss[0] * 2 + loss[1], given)
    found, slope = evaluate([loss, slope])
    expected = [-np.log(probabilities(LOGITS[:steps, row], 2)[LABELS[row]]) for row, steps in enumerate(STEPS)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    slope = slope if time_major else slope.transpose(1, 0, 2)
    for t, row, c in itertools.product(range(4), range(2), range(3)):
        if t >= STEPS[row]:
            assert slope[t, row, c] == 0
            continue
        moved = []
        for step in (1e-3, -1e-3):
            x = LOGITS[:STEPS[row], row].astype(np.float64)
            x[t, c] += step
            moved.append(-np.log(probabilities(x, 2)[LABELS[row]]))
        assert slope[t, row, c] == pytest.approx((2, 1)[row] * (moved[0] - moved[1]) / 2e-3, rel=1e-2, abs=1e-3)


@pytest.mark.parametrize("blank", [0, 1, -1])
def test_loss_with_any_blank(blank):
    index = blank % 3
    labels = [tuple(label + (label >= index) for label in own) for own in LABELS]
    loss = [tf.nn.ctc_loss_v2(sparse_labels(labels), tf.constant(LOGITS), None, STEPS, blank_index=blank)]
    dense = np.array([own + (0,) * (2 - len(own)) for own in labels], np.int32)
    loss.append(tf.nn.ctc_loss_v2(tf.constant(dense), tf.constant(LOGITS), [2, 1], STEPS, blank_index=blank))
    expected = [-np.log(probabilities(LOGITS[:steps, row], index)[labels[row]]) for row, steps in enumerate(STEPS)]
    for found in evaluate(loss):
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_dense_rows_without_labels():
    loss = tf.nn.ctc_loss_v2(tf.zeros([2, 2], tf.int32), tf.constant(LOGITS), [0, 1], STEPS, blank_index=2)
    expected = [-np.log(probabilities(LOGITS[:steps, row], 2)[labels]) for row, (steps, labels) in enumerate(zip(STEPS, [(), (0,)]))]
    np.testing.assert_allclose(evaluate(loss), expected, rtol=1e-4)


def test_unique_labels():
    found, positions = evaluate(tf.nn.ctc_unique_labels(tf.constant([[3, 3, 1, 3], [5, 4, 5, 6]])))
    assert found.dtype == np.int64 and positions.dtype == np.int32
    assert found.tolist() == [[3, 1, 0, 0], [5, 4, 6, 0]] and positions.tolist() == [[0, 0, 1, 0], [0, 1, 0, 2]]


def test_second_derivatives_are_refused():
    x = tf.constant(LOGITS)
    slope, = tf.gradients(tf.nn.ctc_loss(sparse_labels(LABELS), x, STEPS), x)
    with pytest.raises(LookupError, match="second derivative"):
        tf.gradients(slope, x)


def dense(sparse):
    rows = [[] for _ in range(sparse.dense_shape[0])]
    for (row, _), value in zip(sparse.indices, sparse.values):
        rows[row].append(int(value))
    return [tuple(row) for row in rows]


def test_greedy_decoder():
    for merge in (True, False):
        (decoded,), score = tf.nn.ctc_greedy_decoder(tf.constant(LOGITS), STEPS, merge_repeated=merge)
        found, score = evaluate([decoded, score])
        for row, steps in enumerate(STEPS):
            path = LOGITS[:steps, row].argmax(1)
            assert dense(found)[row] == (collapsed(path, 2) if merge else tuple(path[path != 2]))
            assert score[row, 0] == pytest.approx(-LOGITS[:steps, row].max(1).sum(), rel=1e-5)


def test_beam_search_decoder():
    decoded, score = tf.nn.ctc_beam_search_decoder_v2(tf.constant(LOGITS), STEPS, beam_width=100, top_paths=3)
    found, score = evaluate([decoded, score])
    for row, steps in enumerate(STEPS):
        best = sorted(probabilities(LOGITS[:steps, row], 2).items(), key=lambda item: -item[1])[:3]
        assert [dense(path)[row] for path in found] == [labels for labels, _ in best]
        np.testing.assert_allclose(score[row], np.log([p for _, p in best]), rtol=1e-4)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="Expected labels"):
        tf.nn.ctc_loss(tf.zeros([2, 2], tf.int32), tf.constant(LOGITS), STEPS)
    with pytest.raises(ValueError, match="blank_index must be given"):
        tf.nn.ctc_loss_v2(sparse_labels(LABELS), tf.constant(LOGITS), None, STEPS)
    with pytest.raises(ValueError, match="blank_index 3"):
        tf.nn.ctc_loss_v2(sparse_labels(LABELS), tf.constant(LOGITS), None, STEPS, blank_index=3)
