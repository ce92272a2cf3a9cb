"""Run by TensorFlow's interpreter: python ask_answers.py OUT writes what it answers to both/answers.py, as JSON."""
import json
import pathlib
import sys

from both.answers import answers
from oracle.tensorflow1 import tf

tf.disable_v2_tensorshape()  # shapes are written as 1.x does

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers(tf)))
