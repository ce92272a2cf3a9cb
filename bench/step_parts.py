"""Splits the time of a step into parts. Runs steps of one worker against parameter servers, traced and untraced.

    weir run step_parts.py [SCALE]     prints one JSON line per entry of STEPS: microseconds untraced, traced, and of each part

Kernel times come from traces (RunMetadata.step_stats), which have the start and end of each kernel. Tracing overhead follows the
end of each kernel, is marked there, and is excluded. The costs outside of the executor come from empty steps: in a local session
(Python), and on the worker's server (client and master). The rest of the untraced step is messages and waiting, so that the parts
add up to it. SCALE is a factor on the number of steps.
"""
import collections
import json
import os
import re
import statistics
import sys
import time

PYTHON, MASTER, WAITING, BETWEEN = "Python and feeds", "client and master", "transport and waiting", "between kernels"
PS_UPDATES, PS_OTHERS = "ps: updates", "ps: other kernels"
PRODUCTS, CONVOLUTIONS, UPDATES, OTHERS = "worker: products", "worker: convolutions, pools", "worker: updates", "worker: other kernels"
# Parts in the order of the plot, and their descriptions.
PARTS = {
    PYTHON: "a local step with the same feeds that runs no node: the call, and the conversion of the feeds",
    MASTER: "the additional time of that step on the worker's server",
    WAITING: "the rest of the step: messages in flight, waking threads, and the master's work for each task",
    BETWEEN: "no kernel runs, and the last to run and the next are of one task, with nothing received between them: the executor",
    PS_UPDATES: "kernels on parameter servers that change variables",
    PS_OTHERS: "all others there: rows that are gathered, gradients of rows that are put together, variables that are read",
    PRODUCTS: "matrix products on the worker",
    CONVOLUTIONS: "convolutions and pools there, and their gradients",
    UPDATES: "kernels there that change variables",
    OTHERS: "all others there, most of them element by element",
}
UPDATE = re.compile(r"(Resource)?(Sparse)?(Apply|Assign|Scatter)")
PRODUCT = re.compile(r"_?(Fused|Batch)?MatMul|Einsum")
CONVOLUTION = re.compile(r"_?(Fused|Depthwise)?Conv\d|(Max|Avg)Pool")
TRANSFER = re.compile(r"_?(Host)?(Send|Recv)$")
# name, model of measures.py (None: the null step), parameter servers, steps
STEPS = [("null_1", None, 1, 600), ("softmax", "softmax", 2, 300), ("mlp", "mlp", 2, 80), ("embed", "embed", 2, 120), ("cnn", "cnn", 1, 40)]
BLOCKS = 4
WARM = 10

# A node that ran: task, op, and times in nanoseconds. Recording it took from `end` to `traced`.
Event = collections.namedtuple("Event", "task op start end traced")


def part_of(event):
    """Returns the part that a kernel's time belongs to; None for transfers, which only wait for other tasks."""
    if TRANSFER.match(event.op):
        return None
    update = bool(UPDATE.match(event.op))
    if "/job:ps" in event.task:
        return PS_UPDATES if update else PS_OTHERS
    return UPDATES if update else PRODUCTS if PRODUCT.match(event.op) else CONVOLUTIONS if CONVOLUTION.match(event.op) else OTHERS


def events_of(step_stats):
    return [Event(device.device.split("/device:")[0], node.timeline_label.split(" = ")[-1].split("(")[0], node.all_start_nanos,
                  node.all_start_nanos + node.op_end_rel_nanos, node.all_start_nanos + node.all_end_rel_nanos)
            for device in step_stats.dev_stats for node in device.node_stats]


def split(events):
    """Returns {part: nanoseconds} of a trace: kernels, and gaps between kernels of one task.

    Where several kernels run at once, on any task, the time is split evenly. A gap that ends with a receive is waiting,
    and is not counted.
    """
    parts = collections.Counter()
    # The duration of a transfer is not counted, but its end is an event on its task.
    spans = [event._replace(start=event.end) if part_of(event) is None else event for event in events]
    times = sorted({time for span in spans for time in (span.start, span.end, span.traced)})
    for begin, end in zip(times, times[1:]):
        running = [span for span in spans if span.start <= begin and span.end >= end]
        for span in running:
            parts[part_of(span)] += (end - begin) / len(running)
        if running or any(span.start <= begin and span.traced >= end for span in spans):
            continue
        last = max((span for span in spans if span.traced <= begin), key=lambda span: span.traced)
        following = min((span for span in spans if span.start >= end), key=lambda span: span.start)
        if last.task == following.task and part_of(following) is not None:
            parts[BETWEEN] += end - begin
    return parts


def whole(step_us, local_us, served_us, traces):
    """Returns {part: microseconds} that add up to the step: costs outside of the executor, medians over the traces, and
    the rest. If noise makes the rest negative, the other parts are scaled down."""
    parts = {name: 0.0 for name in PARTS}
    parts[PYTHON], parts[MASTER] = local_us, max(served_us - local_us, 0.0)
    for name in set().union(*traces):
        parts[name] = statistics.median(trace.get(name, 0) for trace in traces) / 1e3
    known = sum(parts.values())
    parts[WAITING] = max(step_us - known, 0.0)
    return {name: value * min(step_us / known, 1.0) if name != WAITING else value for name, value in parts.items()}


def measure(name, model, servers, steps):
    import measures
    from under_test import free_cluster
    tf = measures.tf
    spec = free_cluster(ps=servers, worker=1)
    cluster = tf.train.ClusterSpec(spec)
    ps = measures.start_ps(spec)

    def session(target):
        return tf.train.MonitoredTrainingSession(master=target, is_chief=True) if model else tf.Session(target)

    try:
        server = tf.train.Server(cluster, job_name="worker", task_index=0)
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)):
            if model:
                loss, feed = measures.model(model)
                op = tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=tf.train.get_or_create_global_step())
            else:
                feed, op = {}, tf.slice(tf.Variable(tf.zeros([1])), [0], [1])
            nothing, init = tf.no_op(), tf.global_variables_initializer()
            served = session(server.target)
        with tf.Graph().as_default():
            local_feed = {tf.placeholder(x.dtype): value for x, value in feed.items()}
            local_nothing = tf.no_op()
            tf.train.get_or_create_global_step()
            local = session("")
        if not model:
            served.run(init)
        traces, times = [], collections.defaultdict(list)

        def timed(kind, count, run):
            for i in range(count):
                start = time.perf_counter()
                run()
                times[kind].append((time.perf_counter() - start) * 1e6)

        def traced():
            metadata = tf.RunMetadata()
            served.run(op, feed, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
            traces.append(metadata.step_stats)

        for block in range(BLOCKS + 1):  # interleaved, because machines are noisy; the first block is a warm-up
            if block == 1:
                traces.clear()
                times.clear()
            timed("step", WARM if block == 0 else max(steps // BLOCKS, 3), lambda: served.run(op, feed))
            timed("traced", max(steps // BLOCKS // 8, 2), traced)
            timed("served", max(steps // BLOCKS // 2, 3), lambda: served.run(nothing, feed))
            timed("local", max(steps // BLOCKS // 2, 3), lambda: local.run(local_nothing, local_feed))
        served.close()
        local.close()
    finally:
        for p in ps:
            p.kill()
    middle = {kind: statistics.median(values) for kind, values in times.items()}
    parts = whole(middle["step"], middle["local"], middle["served"], [split(events_of(trace)) for trace in traces])
    print(json.dumps({"name": name, "step_us": middle["step"], "traced_us": middle["traced"], "parts": parts}), flush=True)


def main():
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for name, model, servers, steps in STEPS:
        measure(name, model, servers, int(steps * scale))
    os._exit(0)  # servers end with their process


if __name__ == "__main__":
    main()
