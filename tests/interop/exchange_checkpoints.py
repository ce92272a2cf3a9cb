"""Run by TensorFlow's interpreter: reads the checkpoints and records that Weir wrote, and writes its own.

    python exchange_checkpoints.py WEIRS OWN OUT     OUT: what it read (pickled)
"""
import os
import pickle
import sys

import numpy as np

import checkpoint_values
import portable
from oracle.tensorflow1 import tf

V1_TYPES = {name: value for name, value in checkpoint_values.values().items() if not name.startswith("many/")}


def write_v1(folder):
    """The names of the tensors that this format takes."""
    taken = []
    for name, value in V1_TYPES.items():
        try:
            with tf.Graph().as_default(), tf.Session() as sess:
                sess.run(tf.raw_ops.SaveSlices(filename=f"{folder}/v1_{len(taken)}", tensor_names=[name], shapes_and_slices=[""],
                                               data=[checkpoint_values.as_tensor(tf, name, value)]))
            taken.append(name)
        except tf.errors.OpError:
            pass
    with tf.Graph().as_default(), tf.Session() as sess:
        for shard, (spec, rows) in enumerate(checkpoint_values.PARTS):
            sess.run(tf.raw_ops.SaveSlices(filename=f"{folder}/v1s-{shard:05}-of-00003", tensor_names=["p"], shapes_and_slices=[spec],
                                           data=[tf.constant(checkpoint_values.WHOLE[rows])]))
        v = tf.get_variable("v", initializer=np.float32([1, 2]))
        sess.run(v.initializer)
        tf.train.Saver(write_version=tf.train.SaverDef.V1).save(sess, f"{folder}/v1_saver")
    return taken


def main(weirs, own, out):
    found = {"read": checkpoint_values.read_all(tf, weirs), "continued": checkpoint_values.continue_model(tf, f"{weirs}/model")}
    checkpoint_values.write_all(tf, own)
    os.makedirs(f"{own}/model")
    found["trained"] = checkpoint_values.train_model(tf, f"{own}/model")
    found["v1"] = write_v1(own)
    found["records"] = {kind: list(tf.io.tf_record_iterator(f"{weirs}/records{kind}", tf.io.TFRecordOptions(kind)))
                        for kind in ("", "GZIP", "ZLIB")}
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(f"{own}/records{kind}", tf.io.TFRecordOptions(kind)) as writer:
            writer.write(b"one")
            writer.write(b"x" * 100_000)
    with open(out, "wb") as file:
        pickle.dump(portable.pack(found), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
