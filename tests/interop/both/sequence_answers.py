"""Connectionist temporal classification by its public functions."""
import numpy as np

from both.answers import evaluate

CASES = {}
LOGITS = np.random.RandomState(3).uniform(-3, 3, (6, 3, 4)).astype(np.float32)
STEPS = np.array([6, 4, 5], np.int32)
LABELS = np.array([[1, 2, 2], [3, 0, 0], [2, 1, 0]], np.int32)
COUNTS = np.array([3, 1, 2], np.int32)


def sparse(tf, shift=0):
    indices = [(row, i) for row, count in enumerate(COUNTS) for i in range(count)]
    return tf.SparseTensor(np.array(indices, np.int64), np.array([LABELS[at] - shift for at in indices], np.int32), [3, 3])


def with_gradient(tf, make):
    logits = tf.constant(LOGITS)
    loss = make(logits)
    return [str(loss.shape), evaluate(tf, [loss, tf.gradients(loss, logits)[0]])]


for name, options in (("plain", {}), ("collapsed", {"preprocess_collapse_repeated": True}), ("not merged", {"ctc_merge_repeated": False})):
    CASES[f"ctc_loss {name}"] = lambda tf, options=options: with_gradient(tf, lambda x: tf.nn.ctc_loss(sparse(tf, 1), x, STEPS, **options))
CASES["ctc_loss batch major"] = lambda tf: with_gradient(
    tf, lambda x: tf.nn.ctc_loss(sparse(tf, 1), tf.transpose(x, [1, 0, 2]), STEPS, time_major=False))
for blank in (0, -4):
    CASES[f"ctc_loss_v2 dense {blank}"] = lambda tf, blank=blank: with_gradient(
        tf, lambda x: tf.nn.ctc_loss_v2(tf.constant(LABELS), x, COUNTS, STEPS, blank_index=blank))
    CASES[f"ctc_loss_v2 sparse {blank}"] = lambda tf, blank=blank: with_gradient(
        tf, lambda x: tf.nn.ctc_loss_v2(sparse(tf), x, None, STEPS, blank_index=blank))
CASES["ctc_loss_v2 batch major"] = lambda tf: with_gradient(
    tf, lambda x: tf.nn.ctc_loss_v2(tf.constant(LABELS), tf.transpose(x, [1, 0, 2]), COUNTS, STEPS, logits_time_major=False))
CASES["ctc_loss_v2 without labels"] = lambda tf: with_gradient(
    tf, lambda x: tf.nn.ctc_loss_v2(tf.constant(LABELS), x, np.array([3, 0, 1], np.int32), STEPS))
CASES["ctc_loss_v2 sparse without a blank"] = lambda tf: tf.nn.ctc_loss_v2(sparse(tf), tf.constant(LOGITS), None, STEPS)
CASES["ctc_loss of dense labels"] = lambda tf: tf.nn.ctc_loss(tf.constant(LABELS), tf.constant(LOGITS), STEPS)
CASES["ctc_unique_labels"] = lambda tf: evaluate(tf, tf.nn.ctc_unique_labels(tf.constant(LABELS)))


def decoded(tf, result):
    paths, score = result
    return evaluate(tf, [score, *(part for path in paths for part in (path.indices, path.values, path.dense_shape))])


for merge in (True, False):
    CASES[f"ctc_greedy_decoder {merge}"] = lambda tf, merge=merge: decoded(
        tf, tf.nn.ctc_greedy_decoder(tf.constant(LOGITS), STEPS, merge_repeated=merge))
    CASES[f"ctc_beam_search_decoder {merge}"] = lambda tf, merge=merge: decoded(
        tf, tf.nn.ctc_beam_search_decoder(tf.constant(LOGITS), STEPS, beam_width=5, top_paths=3, merge_repeated=merge))
CASES["ctc_beam_search_decoder_v2"] = lambda tf: decoded(tf, tf.nn.ctc_beam_search_decoder_v2(tf.constant(LOGITS), STEPS, top_paths=2))
