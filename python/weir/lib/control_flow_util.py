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
    return op.type in ("Switch", "RefSwitch")


def IsMerge(op):
    return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op):
    return op.type in ("Enter", "RefEnter")


def IsLoopExit(op):
    return op.type in ("Exit", "RefExit")


def IsLoopConstantEnter(op):
    return IsLoopEnter(op) and op.get_attr("is_constant")


def _frames_of_switch(op):
    """Whether a switch belongs to a loop: its predicate is the loop's condition."""
    return op.inputs[1].op.type == "LoopCond"


def IsLoopSwitch(op):
    return IsSwitch(op) and _frames_of_switch(op)


def IsCondSwitch(op):
    return IsSwitch(op) and not _frames_of_switch(op)


def IsCondMerge(op):
    """Whether a merge joins the branches of a cond. The merge of a loop has a NextIteration as input."""
    return IsMerge(op) and not IsLoopMerge(op)


def IsLoopMerge(op):
    return IsMerge(op) and any(value.op.type in ("NextIteration", "RefNextIteration") for value in op.inputs)


def GetLoopConstantEnter(value):
    """Returns the Enter that brings a loop-invariant value into the loop, or None."""
    op = value.op
    while op.type in ("Switch", "Identity", "RefSwitch", "RefIdentity", "ReadVariableOp") and not IsLoopConstantEnter(op):
        op = op.inputs[0].op
    return op if IsLoopConstantEnter(op) else None
