"""tensorflow.python.client.timeline: converts a traced step to a Chrome trace."""
from weir import _weir


class Timeline:
    def __init__(self, step_stats, graph=None):
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time="schedule"):
        return _weir.chrome_trace(self._step_stats, show_dataflow, show_memory)
