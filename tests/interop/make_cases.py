"""Run by TensorFlow's interpreter: builds graphs with TensorFlow, runs them, and writes what came out.

    python make_cases.py OUT     reads OUT/weir_ops.pb (an OpList), writes OUT/ops.pb and OUT/<name>.pkl for every oracle/<name>_cases.py
"""
import importlib
import pathlib
import pickle
import sys
import time

import portable
from oracle.recorder import Recorder
from oracle.tensorflow1 import tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry

HERE = pathlib.Path(__file__).parent


def write_ops(out):
    ops = op_def_pb2.OpList()
    for name in [*sorted(tf.raw_ops.__dict__), "_Arg", "_Retval"]:
        definition = op_def_registry.get(name)
        if definition is not None:
            ops.op.add().CopyFrom(definition)
    (out / "ops.pb").write_bytes(ops.SerializeToString())


def main(out):
    out = pathlib.Path(out)
    ours = op_def_pb2.OpList.FromString((out / "weir_ops.pb").read_bytes())
    write_ops(out)
    for path in sorted((HERE / "oracle").glob("*_cases.py")):
        start = time.time()
        recorder = Recorder({op.name: op for op in ours.op})
        importlib.import_module("oracle." + path.stem).make(recorder)
        with open(out / (path.stem[:-len("_cases")] + ".pkl"), "wb") as f:
            pickle.dump(portable.pack(recorder.cases), f)
        print("%s: %d cases in %.1f s" % (path.stem, len(recorder.cases), time.time() - start), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
