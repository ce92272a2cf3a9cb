"""Queues and accumulators: tf.FIFOQueue and other queues, tf.queue, tf.io."""

_QUEUES = ["QueueBase", "FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue"]
_ACCUMULATORS = ["ConditionalAccumulatorBase", "ConditionalAccumulator", "SparseConditionalAccumulator"]

NAMES = {
    "contrib.staging.StagingArea": "weir.lib.staging:StagingArea",
    "python.ops.data_flow_ops.StagingArea": "weir.lib.staging:StagingArea",
    **{name: f"weir.lib.queues:{name}" for name in _QUEUES + _ACCUMULATORS},
    **{f"queue.{name}": f"={name}" for name in _QUEUES},
    **{f"io.{name}": f"={name}" for name in _QUEUES if name != "FIFOQueue"},
    "python.ops.work_queue": "weir.lib.work_queue:",  # DeepRec's
    "sparse.SparseConditionalAccumulator": "=SparseConditionalAccumulator",
}
