"""tensorflow.python.ops.control_flow_util: the kinds of control flow operations."""
from weir.lib.layer_utils import smart_cond  # noqa: F401 (a public name)

ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph):
    return False


def IsInXLAContext(op):
    return False


def GraphOrParentsInXlaContext(graph):
    return False


def IsSwitch(op):
    return op._traits.kind == "switch"


def IsMerge(op):
    return op._traits.kind == "merge"


def IsLoopEnter(op):
    return op._traits.kind == "enter"


def IsLoopExit(op):
    return op._traits.kind == "exit"


def IsLoopConstantEnter(op):
    return IsLoopEnter(op) and op.get_attr("is_constant")


def _frames_of_switch(op):
    """Whether a switch belongs to a loop: its predicate is the loop's condition."""
    return op.inputs[1].op._traits.kind == "loop_cond"


def IsLoopSwitch(op):
    return IsSwitch(op) and _frames_of_switch(op)


def IsCondSwitch(op):
    return IsSwitch(op) and not _frames_of_switch(op)


def IsCondMerge(op):
    """Whether a merge joins the branches of a cond. The merge of a loop has a NextIteration as input."""
    return IsMerge(op) and not IsLoopMerge(op)


def IsLoopMerge(op):
    return IsMerge(op) and any(value.op._traits.kind == "next_iteration" for value in op.inputs)


def GetLoopConstantEnter(value):
    """Returns the Enter that brings a loop-invariant value into the loop, or None."""
    def passes_on(op):
        return IsSwitch(op) or op._traits.is_alias or op._traits.reads_variable

    op = value.op
    while passes_on(op):
        op = op.inputs[0].op
    return op if IsLoopConstantEnter(op) else None
