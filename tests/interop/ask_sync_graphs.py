"""Run by TensorFlow's interpreter: python ask_sync_graphs.py OUT writes TensorFlow's graphs of both/sync_graphs.py, as
JSON."""
import json
import pathlib
import sys

from both.sync_graphs import answers
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers(tf)))
