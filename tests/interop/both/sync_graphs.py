"""Graphs of SyncReplicasOptimizer on TensorFlow and Weir: nodes, inputs, devices, attributes, collections."""
import itertools
import re

import numpy as np

CASES = {
    "two": dict(replicas_to_aggregate=2, total_num_replicas=2),
    "backup": dict(replicas_to_aggregate=2, total_num_replicas=3, sparse=True),
    "more_gradients": dict(replicas_to_aggregate=5, total_num_replicas=3, optimizer="AdamOptimizer", name="together"),
    "placed": dict(replicas_to_aggregate=2, placed=True, optimizer="MomentumOptimizer"),
    "in_a_scope": dict(replicas_to_aggregate=2, scope="train", use_resource=True),
}
# Nodes of the optimizer itself. Other tests compare the rest.
OWN = re.compile(r"(train/)?(sync_replicas|together|sync_token_q|sync_rep_local_step|NoOp|Assign|Fill|no_init_tokens)(_\d+)?(/.*|_.*)?|"
                 r"(GradientDescent|Momentum|Adam)(/update.*)?")
ATTRIBUTES = ["shared_name", "container", "capacity", "component_types", "shapes", "shape", "dtype", "reduction_type", "use_locking",
              "cancel_pending_enqueues", "timeout_ms"]


def build(tf, replicas_to_aggregate, total_num_replicas=None, sparse=False, placed=False, scope=None, name="sync_replicas",
          optimizer="GradientDescentOptimizer", use_resource=False):
    device = tf.train.replica_device_setter(2, worker_device="/job:worker/task:1") if placed else None
    with tf.device(device), tf.name_scope(scope):
        w = tf.Variable(np.ones((3, 2), np.float32), name="w")
        b = tf.Variable(np.float32(0.5), name="b")
        unused = tf.Variable(np.float32(0.5), name="unused")
        x = tf.placeholder(tf.float32, [3], name="x")
        loss = (tf.reduce_sum(tf.gather(w, [0, 2])) if sparse else tf.reduce_sum(w) * b) + tf.reduce_sum(x) * b
        step = tf.Variable(np.int64(0), name="step", trainable=False, use_resource=use_resource)
        arguments = [0.5, 0.5] if optimizer == "MomentumOptimizer" else [0.5]
        sync = tf.train.SyncReplicasOptimizer(getattr(tf.train, optimizer)(*arguments), replicas_to_aggregate, total_num_replicas, name=name)
        train = sync.minimize(loss, global_step=step, var_list=[w, b, unused])
        runner = sync.get_chief_queue_runner()
        tokens = sync.get_init_tokens_op()
        none = None if replicas_to_aggregate > (total_num_replicas or replicas_to_aggregate) else sync.get_init_tokens_op(0).name
        sync.get_init_tokens_op(replicas_to_aggregate + 1)
    return {"train": train.name, "runner": [runner.name, [op.name for op in runner.enqueue_ops], runner.close_op.name, runner.cancel_op.name],
            "tokens": tokens.name, "none": none, "chief": sync.chief_init_op.name, "local": sync.local_step_init_op.name,
            "slots": sorted(sync.get_slot_names()), "name": sync.get_name(),
            "variables": [v.name for v in sync.variables()]}


def attribute(value):
    return re.sub(r"\s+", " ", str(value)).strip()


def accepted_tokens(tf):
    """Returns the result or error of get_init_tokens_op() for all small configurations."""
    found = {}
    for aggregate, total, tokens in itertools.product(range(1, 5), (None, 0, 1, 2, 3, 4), range(-3, 9)):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), aggregate, total_num_replicas=total)
            sync.minimize(tf.square(tf.Variable(1.0)), global_step=step)
            try:
                answer = sync.get_init_tokens_op(tokens).type
            except ValueError as error:
                answer = str(error)
        found[f"{aggregate} of {total}, {tokens} tokens"] = answer
    return found


def answers(tf):
    found = {}
    for label, arguments in CASES.items():
        with tf.Graph().as_default() as graph:
            said = build(tf, **arguments)
        nodes = {}
        for node in graph.as_graph_def().node:
            # Skips the nodes with which Weir counts gradients, to detect missing replicas.
            if OWN.fullmatch(node.name) and node.op not in ("Const", "ReadVariableOp") and not node.name.endswith("/num_accumulated"):
                # Removes names of gradient nodes and of reads of resource variables, which differ.
                inputs = [re.sub(r"(.*/)?(gradients/|ReadVariableOp|value$|Const$).*", "", name) for name in node.input if not name.startswith("^")]
                after = sorted(name for name in node.input if name.startswith("^"))
                colocated = [c.decode() for c in node.attr["_class"].list.s] if "_class" in node.attr else []
                nodes[node.name] = [node.op, inputs, after, node.device, colocated,
                                    {a: attribute(node.attr[a]) for a in ATTRIBUTES if a in node.attr}]
        collections = {key: sorted(getattr(item, "name", str(item)) for item in graph.get_collection(key))
                       for key in ("variables", "local_variables", "trainable_variables", "train_op", "queue_runners")}
        found[label] = {"said": said, "nodes": nodes, "collections": collections}
    found["accepted tokens"] = accepted_tokens(tf)
    return found
