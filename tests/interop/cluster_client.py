"""Run by TensorFlow's interpreter: python cluster_client.py OUT JSON runs the cluster programs with TensorFlow's client
on each target (JSON: targets by name) and writes the results to OUT as JSON. It starts when standard input is
closed."""
import json
import pathlib
import sys

from both.cluster_programs import run_all
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    targets = json.loads(sys.argv[2])
    sys.stdin.read()
    pathlib.Path(sys.argv[1]).write_text(json.dumps({name: run_all(tf, target, "tensorflow") for name, target in targets.items()}))
