"""Stateful ops, each in one run: creates, changes and reads a variable (reference or resource), table, stack or
TensorArray."""
import numpy as np

from oracle.draw import Draw as D
from oracle.recorder import apply_op
from oracle.tensorflow1 import tf

raw = tf.raw_ops
START = np.arange(2, 14, dtype=np.float32).reshape(4, 3)


def reference(value):
    """Returns a reference to an initialized reference variable: the output of Assign."""
    v = raw.VariableV2(shape=value.shape, dtype=value.dtype, shared_name="", container="")
    return raw.Assign(ref=v, value=value)


def resource(value):
    handle = raw.VarHandleOp(dtype=value.dtype, shape=value.shape, shared_name="v%d" % len(tf.get_default_graph().get_operations()))
    return handle, raw.AssignVariableOp(resource=handle, value=value)


def after_resource(x, change):
    handle, assigned = resource(x)
    with tf.control_dependencies([assigned]):
        changed = change(handle)
    with tf.control_dependencies([changed]):
        return raw.ReadVariableOp(resource=handle, dtype=x.dtype)


def scatters(case):
    rows, nd = np.int32([1, 3, 1]), np.int32([[0, 2], [3, 1]])
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        start, updates, points = START.astype(dtype), D(3, 3, low=1, high=3).array(dtype), D(2, low=1, high=3).array(dtype)
        for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update"):
            indices = rows[:2] if kind == "Update" else rows
            case("Scatter%s %s" % (kind, start.dtype), lambda x, i, u, k=kind: apply_op("Scatter" + k, {"ref": reference(x), "indices": i, "updates": u}),
                 [start, indices, updates[:len(indices)]], grad=False, static=True)
            case("ResourceScatter%s %s" % (kind, start.dtype),
                 lambda x, i, u, k=kind: after_resource(x, lambda h: apply_op("ResourceScatter" + k, {"resource": h, "indices": i, "updates": u})),
                 [start, indices, updates[:len(indices)]], grad=False, static=True)
        for kind in ("Add", "Sub", "Update"):
            case("ScatterNd%s %s" % (kind, start.dtype), lambda x, i, u, k=kind: apply_op("ScatterNd" + k, {"ref": reference(x), "indices": i, "updates": u}),
                 [start, nd, points], grad=False, static=True)
            case("ResourceScatterNd%s %s" % (kind, start.dtype),
                 lambda x, i, u, k=kind: after_resource(x, lambda h: apply_op("ResourceScatterNd" + k, {"ref": h, "indices": i, "updates": u})),
                 [start, nd, points], grad=False, static=True)


def variables(case):
    def slices(x, u):
        return raw.StridedSliceAssign(ref=reference(x), begin=[1, 0], end=[3, 2], strides=[1, 1], value=u)

    def resource_slices(x, u):
        return after_resource(x, lambda h: raw.ResourceStridedSliceAssign(ref=h, begin=[1, 0], end=[3, 2], strides=[1, 1], value=u))

    def shrunk(x):
        refs = [reference(x), reference(x * 0.5)]
        with tf.control_dependencies([raw.SdcaShrinkL1(weights=refs, l1=1.0, l2=0.5)]):
            return [tf.identity(ref) for ref in refs]

    case("StridedSliceAssign", slices, [START, D(2, 2).array(np.float32)], grad=False, static=True)
    case("ResourceStridedSliceAssign", resource_slices, [START, D(2, 2).array(np.float32)], grad=False, static=True)
    case("AssignAdd", lambda x: raw.AssignAdd(ref=reference(x), value=x), [START], grad=False, static=True)
    case("AssignSub", lambda x: raw.AssignSub(ref=reference(x), value=x * 0.5), [START], grad=False, static=True)
    case("SdcaShrinkL1", shrunk, [START - 7.0], grad=False, static=True)
    case("CountUpTo", lambda x: raw.CountUpTo(ref=reference(x), limit=5), [np.int32(3)], grad=False, static=True)
    case("RefIdentity", lambda x: raw.RefIdentity(input=reference(x)), [START], grad=False, static=True)
    case("RefSelect", lambda x, i: raw.RefSelect(index=i, inputs=[reference(x), reference(x * 2.0)]), [START, np.int32(1)], grad=False, static=True)

    def count(x):
        handle, assigned = resource(x)
        with tf.control_dependencies([assigned]):
            return raw.ResourceCountUpTo(resource=handle, limit=5, T=tf.int32)

    def gather_nd(x, i):
        handle, assigned = resource(x)
        with tf.control_dependencies([assigned]):
            return [raw.ResourceGatherNd(resource=handle, indices=i, dtype=tf.float32), raw.ResourceGather(resource=handle, indices=i, dtype=tf.float32),
                    raw.VariableShape(input=handle), raw.VarIsInitializedOp(resource=handle)]

    def destroyed(x):
        handle, assigned = resource(x)
        with tf.control_dependencies([assigned]):
            gone = raw.DestroyResourceOp(resource=handle)
        with tf.control_dependencies([gone]):
            return raw.VarIsInitializedOp(resource=handle)

    def temporary(x):
        v = raw.TemporaryVariable(shape=[4, 3], dtype=tf.float32, var_name="scratch")
        v = raw.AssignAdd(ref=raw.Assign(ref=v, value=x), value=x)
        return raw.DestroyTemporaryVariable(ref=v, var_name="scratch")

    case("ResourceCountUpTo", count, [np.int32(3)], grad=False, static=True)
    case("ResourceGatherNd", gather_nd, [START, np.int32([[0], [2]])], grad=False, static=True)
    case("DestroyResourceOp", destroyed, [START], grad=False, static=True)
    case("TemporaryVariable", temporary, [START], grad=False, static=True)


def updates(case):
    """Update rules that no optimizer of 1.x uses."""
    grad = D(4, 3).array(np.float32)

    def ref_rule(op, **numbers):
        def build(x, g):
            slots = {"ApplyAdaMax": ("m", "v"), "ApplyAddSign": ("m",), "ApplyPowerSign": ("m",)}[op]
            return apply_op(op, {"var": reference(x), **{s: reference(tf.abs(x) * 0.1) for s in slots}, **numbers, "grad": g})
        return build

    def resource_rule(op, slots, indices=None, **numbers):
        def build(x, g):
            handles = {name: resource(value) for name, value in [("var", x), *[(s, tf.abs(x) * 0.1) for s in slots]]}
            rows = {} if indices is None else {"indices": indices}
            with tf.control_dependencies([assigned for _, assigned in handles.values()]):
                done = apply_op(op, {**{name: handle for name, (handle, _) in handles.items()}, **{k: tf.constant(v) for k, v in numbers.items()}, "grad": g, **rows})
            with tf.control_dependencies([done]):
                return [raw.ReadVariableOp(resource=handle, dtype=tf.float32) for handle, _ in handles.values()]
        return build

    ada_max = dict(beta1_power=0.9, lr=0.1, beta1=0.9, beta2=0.99, epsilon=1e-3)
    case("ApplyAdaMax", ref_rule("ApplyAdaMax", **ada_max), [START, grad], grad=False, static=True)
    case("ApplyAddSign", ref_rule("ApplyAddSign", lr=0.1, alpha=1.0, sign_decay=0.9, beta=0.8), [START, grad], grad=False, static=True)
    case("ApplyPowerSign", ref_rule("ApplyPowerSign", lr=0.1, logbase=0.7, sign_decay=0.9, beta=0.8), [START, grad], grad=False, static=True)
    case("ResourceApplyAdaMax", resource_rule("ResourceApplyAdaMax", ("m", "v"), **ada_max), [START, grad], grad=False, static=True)
    case("ResourceApplyKerasMomentum", resource_rule("ResourceApplyKerasMomentum", ("accum",), lr=0.1, momentum=0.9), [START, grad], grad=False, static=True)
    case("ResourceSparseApplyKerasMomentum",
         resource_rule("ResourceSparseApplyKerasMomentum", ("accum",), indices=np.int32([2, 0]), lr=0.1, momentum=0.9), [START, grad[:2]], grad=False, static=True)


def tables(case):
    keys, values = np.array([b"a", b"b", b"c"], object), np.int64([1, 2, 3])

    def static_table(make, init, find, size):
        def build(k, v, q):
            table = make(key_dtype=tf.string, value_dtype=tf.int64)
            with tf.control_dependencies([init(table_handle=table, keys=k, values=v)]):
                return [find(table_handle=table, keys=q, default_value=tf.constant(-1, tf.int64)), size(table_handle=table)]
        return build

    asked = np.array([b"c", b"?", b"a"], object)
    case("HashTableV2", static_table(raw.HashTableV2, raw.InitializeTableV2, raw.LookupTableFindV2, raw.LookupTableSizeV2), [keys, values, asked], grad=False)

    def mutable(k, v, q):
        table = raw.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
        with tf.control_dependencies([raw.LookupTableInsertV2(table_handle=table, keys=k, values=v)]):
            removed = raw.LookupTableRemoveV2(table_handle=table, keys=k[:1])
        with tf.control_dependencies([removed]):
            out_keys, out_values = raw.LookupTableExportV2(table_handle=table, Tkeys=tf.string, Tvalues=tf.int64)
            found = raw.LookupTableFindV2(table_handle=table, keys=q, default_value=tf.constant(-1, tf.int64))
        order = tf.argsort(out_values)
        return [found, tf.gather(out_values, order), tf.gather(out_keys, order)]

    def of_tensors(k, v):
        table = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[3])
        with tf.control_dependencies([raw.LookupTableImportV2(table_handle=table, keys=k, values=v)]):
            return raw.LookupTableFindV2(table_handle=table, keys=k[1:], default_value=tf.zeros([3]))

    def dense(k, v):
        table = raw.MutableDenseHashTableV2(empty_key=tf.constant(-1, tf.int64), deleted_key=tf.constant(-2, tf.int64), value_dtype=tf.float32, value_shape=[3])
        with tf.control_dependencies([raw.LookupTableInsertV2(table_handle=table, keys=k, values=v)]):
            return [raw.LookupTableFindV2(table_handle=table, keys=k[1:], default_value=tf.zeros([3])), raw.LookupTableSizeV2(table_handle=table)]

    case("MutableHashTableV2", mutable, [keys, values, asked], grad=False)
    numbers = np.int64([4, 9, 7, 5])
    case("MutableHashTableOfTensorsV2", of_tensors, [numbers, START], grad=False)
    case("MutableDenseHashTableV2", dense, [numbers, START], grad=False)


def stacks_and_arrays(case):
    def stack(x):
        handle = raw.StackV2(max_size=3, elem_type=tf.float32, stack_name="s")
        with tf.control_dependencies([raw.StackPushV2(handle=handle, elem=x)]):
            second = raw.StackPushV2(handle=handle, elem=x * 2.0)
        with tf.control_dependencies([second]):
            popped = raw.StackPopV2(handle=handle, elem_type=tf.float32)
        with tf.control_dependencies([popped]):
            closed = raw.StackCloseV2(handle=handle)
        with tf.control_dependencies([closed]):
            return tf.identity(popped)

    def closed_array(x):
        handle, flow = raw.TensorArrayV3(size=2, dtype=tf.float32)
        flow = raw.TensorArrayWriteV3(handle=handle, index=0, value=x, flow_in=flow)
        read = raw.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=tf.float32)
        size = raw.TensorArraySizeV3(handle=handle, flow_in=flow)
        with tf.control_dependencies([read, size]):
            closed = raw.TensorArrayCloseV3(handle=handle)
        with tf.control_dependencies([closed]):
            return [tf.identity(read), tf.identity(size)]

    case("StackV2", stack, [START], grad=False)
    case("TensorArrayCloseV3", closed_array, [START], grad=False)


def make(recorder):
    for group in (scatters, variables, updates, tables, stacks_and_arrays):
        group(recorder.case)
