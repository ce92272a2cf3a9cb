"""Run by TensorFlow's interpreter: loads the graphs that Weir wrote and runs them.

    python read_graphs.py IN OUT     IN: {program: result of both.program.run}, OUT: {program: values, or the error as text}
"""
import pathlib
import pickle
import sys

import ml_dtypes
import portable
from both.program import run_graph_def
from oracle.tensorflow1 import tf


def values_or_error(recorded):
    try:
        return run_graph_def(tf, recorded)
    except Exception as error:  # reported by the test of that program
        return "%s: %s" % (type(error).__name__, error)


def main(source, target):
    programs = portable.unpack(pickle.loads(pathlib.Path(source).read_bytes()), ml_dtypes.bfloat16)
    pathlib.Path(target).write_bytes(pickle.dumps(portable.pack({name: values_or_error(p) for name, p in programs.items()})))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
