"""Run by TensorFlow's interpreter: builds graphs with TensorFlow, runs them, and writes the results.

    python make_cases.py OUT PART

Reads OUT/weir_ops.pb (an OpList). Writes OUT/ops.pb, OUT/<name>.pkl for every oracle/<name>_cases.py, and
OUT/programs.pkl with TensorFlow's results of every program of both/. PART is "cases" or "programs", which take about
the same time; the random graphs are part of the programs.
"""
import importlib
import pathlib
import pickle
import sys
import time

import portable
from both import PROGRAMS
from both.program import run
from oracle.recorder import Recorder
from oracle.tensorflow1 import tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry

HERE = pathlib.Path(__file__).parent
WITH_PROGRAMS = {"random_graph_cases"}


def write_ops(out):
    ops = op_def_pb2.OpList()
    for name in [*sorted(tf.raw_ops.__dict__), "_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv", "_FusedMatMul", "_FusedConv2D"]:
        definition = op_def_registry.get(name)
        if definition is not None:
            ops.op.add().CopyFrom(definition)
    (out / "ops.pb").write_bytes(ops.SerializeToString())


def write(out, name, data, start):
    (out / (name + ".pkl")).write_bytes(pickle.dumps(portable.pack(data)))
    print("%s: %d cases in %.1f s" % (name, len(data), time.time() - start), file=sys.stderr)


def main(out, part):
    out = pathlib.Path(out)
    ours = op_def_pb2.OpList.FromString((out / "weir_ops.pb").read_bytes())
    if part == "cases":
        write_ops(out)
    for path in sorted((HERE / "oracle").glob("*_cases.py")):
        if (path.stem in WITH_PROGRAMS) != (part == "programs"):
            continue
        start = time.time()
        recorder = Recorder({op.name: op for op in ours.op})
        importlib.import_module("oracle." + path.stem).make(recorder)
        write(out, path.stem[:-len("_cases")], recorder.cases, start)
    if part == "programs":
        start = time.time()
        write(out, "programs", {name: run(tf, program) for name, program in PROGRAMS.items()}, start)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
