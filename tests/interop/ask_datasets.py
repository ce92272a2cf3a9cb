"""Run by TensorFlow's interpreter: python ask_datasets.py OUT writes TensorFlow's results of both/dataset_programs.py,
as JSON."""
import json
import pathlib
import sys

from both.dataset_programs import all_answers
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(all_answers(tf)))
