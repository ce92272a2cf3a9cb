"""Run by TensorFlow's interpreter: python ask_answers.py OUT writes TensorFlow's answers to both/answers.py, as
JSON."""
import json
import pathlib
import sys

from both.answers import answers
from oracle.tensorflow1 import tf

tf.disable_v2_tensorshape()  # format shapes as in 1.x

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers(tf)))
