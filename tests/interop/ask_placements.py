"""Run by TensorFlow's interpreter: python ask_placements.py OUT writes TensorFlow's placement of both/placements.py, as
JSON."""
import json
import pathlib
import sys

from both.placements import answers
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers(tf)))
