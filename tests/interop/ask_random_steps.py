"""Runs random steps on TensorFlow: ask_random_steps.py OUT BEGIN END writes a pickle of {seed: answer}."""
import os
import pickle
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow.compat.v1 as tf  # noqa: E402

import portable  # noqa: E402
import random_steps  # noqa: E402


def main():
    out, begin, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    # TensorFlow's rewrites do not terminate on some of these graphs.
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    answers = {seed: list(random_steps.run(tf, random_steps.draw(seed), config=config)) for seed in range(begin, end)}
    with open(out, "wb") as f:
        pickle.dump(portable.pack(answers), f)


if __name__ == "__main__":
    main()
