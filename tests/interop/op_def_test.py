"""Checks that every registered op has the arguments, attributes and defaults of TensorFlow's op."""
import weir as tf
from weir import _weir
from weir.proto import message_class


# Ops of contrib, which 2.21 lacks.
# Ops of tf.contrib, and Weir's own.
OTHER_OPS = {"GatherTree", "_CopyToGpu", "_CopyToHost", "_HostConst", "QueueAwaitDequeue", "WorkQueueCreate", "WorkQueueHandleOp",
             "WorkQueueRestore", "WorkQueueSave", "WorkQueueSize", "WorkQueueTake"}


def describe_argument(arg):
    return (arg.name, arg.type, arg.type_attr, arg.number_attr, arg.type_list_attr, arg.is_ref)


def default_of(attr):
    """Returns the default; tensors as values, because messages can encode them in several ways."""
    value = attr.default_value
    return (value.tensor.dtype, tf.make_ndarray(value.tensor).tolist()) if value.HasField("tensor") else value


def test_op_definitions(answers):
    theirs = message_class("OpList")()
    theirs.ParseFromString((answers / "ops.pb").read_bytes())
    known = {op.name: op for op in theirs.op}
    problems = []
    names = _weir.op_names()
    for name in names:
        ours = message_class("OpDef")()
        ours.ParseFromString(_weir.op_def(name))
        if name in OTHER_OPS:
            assert name not in known
            continue
        if name not in known:
            problems.append(f"{name}: TensorFlow has no such op")
            continue
        other = known[name]
        ours_attrs = {a.name: a for a in ours.attr}
        other_attrs = {a.name: a for a in other.attr}
        for kind in ("input_arg", "output_arg"):
            mine = [describe_argument(a) for a in getattr(ours, kind)]
            reference = [describe_argument(a) for a in getattr(other, kind)]
            if mine != reference and not is_newer_type_attr(mine, reference, other_attrs, ours_attrs):
                problems.append(f"{name}: {kind} {mine} != {reference}")
        for attr in ours_attrs.values():
            reference = other_attrs.get(attr.name)
            if reference is None:
                problems.append(f"{name}: TensorFlow has no attribute {attr.name}")
                continue
            if attr.type != reference.type:
                problems.append(f"{name}.{attr.name}: {attr.type} != {reference.type}")
            if attr.HasField("default_value") != reference.HasField("default_value") or (
                    attr.HasField("default_value") and default_of(attr) != default_of(reference)):
                problems.append(f"{name}.{attr.name}: default {attr.default_value} != {reference.default_value}")
            allowed = set(attr.allowed_values.list.type)
            if reference.allowed_values.list.type and not allowed <= set(reference.allowed_values.list.type):
                problems.append(f"{name}.{attr.name}: more types than TensorFlow: {allowed - set(reference.allowed_values.list.type)}")
        for attr in other_attrs.values():
            if attr.name not in ours_attrs and not attr.HasField("default_value"):
                problems.append(f"{name}: attribute {attr.name} is missing")
        for flag in ("is_stateful", "is_commutative", "is_aggregate", "allows_uninitialized_input"):
            if getattr(ours, flag) != getattr(other, flag):
                problems.append(f"{name}: {flag} is {getattr(ours, flag)}")
    assert not problems, "\n".join(problems)
    assert len(names) > 400


def is_newer_type_attr(mine, reference, other_attrs, ours_attrs):
    """Whether the only difference is a fixed type that is an attribute, with that type as its default, in 2.21."""
    if len(mine) != len(reference):
        return False
    for m, r in zip(mine, reference):
        if m == r:
            continue
        attr = other_attrs.get(r[2])
        if attr is None or r[2] in ours_attrs or attr.default_value.type != m[1]:
            return False
    return True
