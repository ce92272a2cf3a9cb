"""Run by TensorFlow's interpreter: python train_supervised.py OUT TARGET DIR LAST ... trains with a Supervisor for each
target ("" is a local session), directory and last step, and writes the results to OUT as JSON."""
import json
import pathlib
import sys

from both.supervised import train
from oracle.tensorflow1 import tf

if __name__ == "__main__":
    runs = zip(sys.argv[2::3], sys.argv[3::3], sys.argv[4::3])
    pathlib.Path(sys.argv[1]).write_text(json.dumps([train(tf, target, logdir, int(last)) for target, logdir, last in runs]))
