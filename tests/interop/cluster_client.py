"""Run by TensorFlow's interpreter: python cluster_client.py OUT JSON, targets by name: what TensorFlow's clients get from
each, as JSON. It begins when the standard input ends."""
import json
import pathlib
import sys

from both.cluster_programs import run_all
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    targets = json.loads(sys.argv[2])
    sys.stdin.read()
    pathlib.Path(sys.argv[1]).write_text(json.dumps({name: run_all(tf, target, "tensorflow") for name, target in targets.items()}))
