"""Checks that every registered op occurs in a graph that TensorFlow ran, or is listed here with a reason."""
import weir as tf
from conftest import HERE
from weir import _weir

NOT_COMPARED = {
    "_Arg": "only inside functions, where the calls of functions run it",
    "_Retval": "only inside functions, where the calls of functions run it",
    **{op: "between tasks, where cluster_test.py has both kinds of tasks send each other values" for op in (
        "_Send", "_Recv", "_HostSend", "_HostRecv")},
    "_FusedMatMul": "only in graphs that were rewritten; op_cases_test.py asks TensorFlow for it",
    "_FusedConv2D": "only in graphs that were rewritten; op_cases_test.py asks TensorFlow for it",
    **{op: "op_cases_test.py and answers_test.py ask TensorFlow for it" for op in (
        "Stage", "Unstage", "StagePeek", "StageSize", "StageClear", "SparseCross", "RaggedGather", "RaggedRange", "RaggedTensorToSparse",
        "RaggedTensorToTensor", "UnicodeDecode", "UnicodeDecodeWithOffsets", "UnicodeEncode", "UnicodeTranscode", "OptionalFromValue",
        "OptionalGetValue", "OptionalHasValue", "OptionalNone", "IteratorGetNextAsOptional", "FractionalAvgPool", "FractionalAvgPoolGrad",
        "FractionalMaxPool", "FractionalMaxPoolGrad", "MutexV2", "MutexLock", "ConsumeMutexLock", "SerializeIterator", "DeserializeIterator",
        "DatasetToTFRecord", "ExperimentalDatasetToTFRecord")},
    **{op: "no function of TensorFlow makes it; op_cases_test.py asks for it" for op in (
        "ApplyAdagradV2", "SparseApplyAdagradV2", "ResourceApplyAdagradV2", "ResourceSparseApplyAdagradV2", "ResourceApplyAdamWithAmsgrad")},
    **{op: "an op of Weir's, between a GPU and the host" for op in ("_CopyToGpu", "_CopyToHost", "_HostConst")},
    **{op: "an op of Weir's; tests/ops has it" for op in (
        "QueueAwaitDequeue", "WorkQueueCreate", "WorkQueueHandleOp", "WorkQueueRestore", "WorkQueueSave", "WorkQueueSize", "WorkQueueTake")},
    "GatherTree": "an op of contrib, which later TensorFlows lack; tests/ops and tests/python compute its values in another way",
    "QuantizedReluX": "TensorFlow has no kernel",
    "Abort": "ends the process",
    "EagerPyFunc": "calls Python in this process",
    "PyFunc": "calls Python in this process",
    "PyFuncStateless": "calls Python in this process",
    "Timestamp": "never the same twice",
    "PrintV2": "its effect is on a stream; tests/python has it",
    "GetSessionHandle": "a value of a session, named by the session",
    "GetSessionTensor": "a value of a session, named by the session",
    "DeleteSessionTensor": "a value of a session, named by the session",
    "ImmutableConst": "a file mapped into memory; its unit test makes one",
    "InitializeTableFromTextFile": "a file; its unit test makes one",
    "InitializeTableFromTextFileV2": "a file; its unit test makes one",
    "WriteFile": "a file; its unit test makes one",
    "MatchingFiles": "a file; its unit test makes one",
    **{op: "files; checkpoint_test.py has both write and read them" for op in (
        "SaveV2", "RestoreV2", "MergeV2Checkpoints", "Save", "SaveSlices", "Restore", "RestoreSlice", "ShardedFilename")},
    "GeneratorDataset": "calls Python in this process",
    **{op: "files; tests/ops and tests/python write some" for op in (
        "TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2")},
    "BatchDataset": "by its second version",
    "PaddedBatchDataset": "by its second version",
    "IteratorGetNextSync": "IteratorGetNext with another hint",
    "OptimizeDataset": "it changes no element",
    "ModelDataset": "it changes no element",
    **{op: "an iterator between steps; tests/ops has it" for op in (
        "Iterator", "IteratorV2", "MakeIterator", "IteratorFromStringHandle", "IteratorFromStringHandleV2")},
    "ParallelMapDataset": "TensorFlow's Python makes ParallelMapDatasetV2",
    "ParallelInterleaveDatasetV2": "TensorFlow's Python makes a later version",
    "GroupByReducerDataset": "TensorFlow's Python makes ExperimentalGroupByReducerDataset",
    "AudioSummary": "TensorFlow refuses it in graphs of today's version",
    "TensorSummary": "TensorFlow's Python makes TensorSummaryV2; op_cases_test.py asks for it",
    "ShardedFilespec": "a name of files; op_cases_test.py asks TensorFlow for it",
    "MatrixExponential": "TensorFlow computes it with other ops; module_answers.py compares the values",
    "TileGrad": "TensorFlow refuses it in graphs of today's version",
    "TopK": "TensorFlow refuses it in graphs of today's version",
    "PlaceholderV2": "TensorFlow refuses it in graphs of today's version",
    "RefExit": "no program of TensorFlow's Python makes a loop over references",
    "RefNextIteration": "no program of TensorFlow's Python makes a loop over references",
    "RefMerge": "no program of TensorFlow's Python merges references",
    "Variable": "TensorFlow's Python makes VariableV2",
    "TensorArrayGradWithShape": "TensorFlow's Python makes it for lists of ragged gradients only",
    # V1 ops of tables and stacks have string handles, which the kernels of 2.21 do not accept from Python.
    **{op: "by its second version" for op in (
        "HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable", "InitializeTable", "LookupTableFind", "LookupTableInsert",
        "LookupTableExport", "LookupTableImport", "LookupTableSize", "Stack", "StackPush", "StackPop", "StackClose",
        "FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueEnqueue", "QueueEnqueueMany", "QueueDequeue",
        "QueueDequeueMany", "QueueDequeueUpTo", "QueueClose", "QueueSize", "QueueIsClosed",
        "ConditionalAccumulator", "AccumulatorApplyGradient", "AccumulatorTakeGradient",
        "ReaderRead", "ReaderReadUpTo", "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted", "ReaderSerializeState", "ReaderRestoreState",
        "ReaderReset", "IdentityReader")},
    **{kind + version: "files; op_cases_test.py has both read them" for version in ("", "V2") for kind in (
        "TFRecordReader", "TextLineReader", "FixedLengthRecordReader", "WholeFileReader")},
    "ReaderRestoreStateV2": "of a later step; op_cases_test.py asks for it",
    "ReaderResetV2": "of a later step; op_cases_test.py asks for it",
}
# Ops that gradients of 2.21 use and Weir lacks. Those gradients are compared only by value.
LATER_OPS = {"MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3"}


def groups():
    return sorted(path.stem[:-len("_cases")] for path in (HERE / "oracle").glob("*_cases.py"))


def ops_of(graph):
    definition = tf.GraphDef()
    definition.ParseFromString(graph)
    nodes = [*definition.node, *(node for function in definition.library.function for node in function.node_def)]
    return {node.op for node in nodes}


def test_every_op_is_compared(load):
    seen = set().union(*(ops_of(case["graph"]) for group in groups() for case in load(group)),
                       *(ops_of(program["graph"]) for program in load("programs").values()))
    registered = set(_weir.op_names())
    missing = registered - seen - set(NOT_COMPARED)
    assert not missing, "no case has " + " ".join(sorted(missing))
    needless = set(NOT_COMPARED) & seen
    assert not needless, "listed, but compared: " + " ".join(sorted(needless))


def test_gradients_of_tensorflow_can_be_loaded(load):
    """TensorFlow's gradients use no ops that Weir lacks, except those listed above."""
    later = {op for group in groups() for case in load(group) for op in case.get("unregistered", [])}
    assert later <= LATER_OPS, "ops that gradients of TensorFlow use: " + " ".join(sorted(later - LATER_OPS))
