"""Programs with summaries: names, tags and serialized messages."""
import numpy as np

from both.program import Program


def summaries(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.name_scope("layer"):
        look = [tf.summary.scalar("loss", tf.reduce_sum(x)), tf.summary.scalar("loss", 2), tf.summary.histogram("a b", x),
                tf.summary.scalar("part", tf.reduce_max(x), family="Some family")]
    with tf.variable_scope("model"):
        look += [tf.summary.image("picture", tf.reshape(x, [1, 2, 2, 1])), tf.summary.audio("sound", tf.reshape(x, [2, 2]), 8000.0),
                 tf.summary.text("note", tf.constant(["x", "y"])),
                 tf.summary.tensor_summary("values", x, summary_description="numbers", family="f", display_name="shown")]
    look += [tf.summary.merge(look[:2]), tf.summary.merge(look[2:4], name="some name"), tf.summary.merge_all(),
             tf.summary.merge_all(scope="layer", name="mine")]
    return {"look": look, "feeds": [{x: np.array(values, np.float32)} for values in ([1, 2, 3, 4], [-1, 0, 0.25, 7])]}


def programs():
    return [Program("summaries", summaries)]
