"""Run by TensorFlow's interpreter: python ask_cluster_specs.py OUT writes TensorFlow's results of
both/cluster_specs.py, as JSON."""
import json
import pathlib
import sys

from both.cluster_specs import answers
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps(answers(tf)))
