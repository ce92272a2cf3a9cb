"""Run by TensorFlow's interpreter: python exchange_object_checkpoints.py THEIRS PREFIX OUT writes a checkpoint of objects at
PREFIX, restores it and the one at THEIRS, and writes its path and the results of both to OUT as JSON."""
import json
import pathlib
import sys

from both import object_checkpoints
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    theirs, prefix, out = sys.argv[1:]
    own = object_checkpoints.write(tf, prefix)
    pathlib.Path(out).write_text(json.dumps([own, object_checkpoints.use(tf, theirs), object_checkpoints.use(tf, own)]))
