"""Run by TensorFlow's interpreter: reads the checkpoints and records that Weir wrote, and writes its own.

    python exchange_checkpoints.py WEIRS OWN OUT     OUT: the values that it read (pickled)
"""
import os
import pickle
import sys

import checkpoint_values
import portable
from oracle.tensorflow1 import tf


def main(weirs, own, out):
    found = {"read": checkpoint_values.read_all(tf, weirs), "continued": checkpoint_values.continue_model(tf, f"{weirs}/model")}
    checkpoint_values.write_all(tf, own)
    os.makedirs(f"{own}/model")
    found["trained"] = checkpoint_values.train_model(tf, f"{own}/model")
    found["v1"] = checkpoint_values.write_v1(tf, own)
    found["read_v1"] = checkpoint_values.read_v1(tf, weirs, found["v1"])
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
