"""tf.train.LooperThread: a thread that a Coordinator stops."""
import threading

from weir import _weir


class LooperThread(threading.Thread):
    """Calls run_loop() every `timer_interval_secs` seconds (continuously if None) until `coord` stops.

    Override start_loop, run_loop and stop_loop, or pass a `target` for run_loop to call. An exception stops the coordinator,
    whose join() raises it.
    """

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, _weir.Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls `target`. Returns the thread."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            self._coord._loop(self._timer_interval_secs, self.run_loop)
            self.stop_loop()

    def start_loop(self):
        """Called on the thread before the first run_loop."""

    def stop_loop(self):
        """Called on the thread after the last run_loop."""

    def run_loop(self):
        if self._target:
            self._target(*self._args, **self._kwargs)
