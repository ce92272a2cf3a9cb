"""Run by TensorFlow's interpreter: python ask_answers.py OUT MODULES writes TensorFlow's answers to the modules of
both/answers.py that the list MODULES names, as JSON."""
import json
import pathlib
import sys

from both import answers
from oracle.tensorflow1 import tf

tf.disable_v2_tensorshape()  # format shapes as in 1.x

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers.answers(tf, getattr(answers, sys.argv[2]))))
