"""Run by TensorFlow's interpreter: python exchange_saved_models.py WORDS THEIRS OWN OUT writes a model to OWN, uses the
models in THEIRS and OWN, and writes the results of both to OUT as JSON."""
import json
import pathlib
import sys

from both import saved_models
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    words, theirs, own, out = sys.argv[1:]
    saved_models.write(tf, own, words)
    pathlib.Path(out).write_text(json.dumps([saved_models.use(tf, theirs), saved_models.use(tf, own)]))
