"""tf.train.Supervisor: runs the services of a training loop on Python threads."""
import contextlib

from weir import _weir, errors as _errors
from weir.lib import live_line as _live_line
from weir.lib.graph_keys import GraphKeys
from weir.lib.looper import LooperThread


class Supervisor(_weir.Supervisor):
    """Prepares a session with a ready model, saves checkpoints and summaries periodically, and stops all threads
    together."""

    USE_DEFAULT = 0

    @contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """Context manager for a session. On exit, stops everything, then raises the error of the block or of a service.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(master=master, config=config, start_standard_services=start_standard_services)
            yield sess
        except Exception as error:
            self.request_stop(error)
            if sess is None:
                raise  # even OutOfRange: input cannot end before there is a session
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                # Unblock threads that still wait in a step, and ignore their errors.
                if sess is not None:
                    with contextlib.suppress(Exception):
                        sess.close()

    def prepare_or_wait_for_session(self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        sess = self._get_session(master, config, wait_for_checkpoint, max_wait_secs)
        try:
            if start_standard_services:
                if self.is_chief:
                    self.start_standard_services(sess)
                self.start_queue_runners(sess)
                _live_line.redirect_output_above_live_line()
                progress = self._progress_service(sess)
                if progress is not None:
                    _started([_ServiceThread(self, progress)])
        except BaseException:
            sess.close()
            raise
        return sess

    def start_standard_services(self, sess):
        """Starts the threads that save checkpoints and summaries and count steps. Only for the chief."""
        services = self._standard_services(sess)
        return None if services is None else _started(_ServiceThread(self, service) for service in services)

    def start_queue_runners(self, sess, queue_runners=None):
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, coord=self.coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops the services and waits for their threads. Does not close the session."""
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads)
        finally:
            self._end_progress()
            if close_summary_writer:
                self._close_summary_writer()

    def request_stop(self, ex=None):
        self.coord.request_stop(ex=ex)

    def should_stop(self):
        return self.coord.should_stop()

    def stop_on_exception(self):
        return self.coord.stop_on_exception()

    def wait_for_stop(self):
        self.coord.wait_for_stop()

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = _weir.Supervisor.summary_computed


def _started(threads):
    threads = list(threads)
    for thread in threads:
        thread.start()
    return threads


class _ServiceThread(LooperThread):
    def __init__(self, sv, service):
        super().__init__(sv.coord, service.interval_secs)
        self._service = service

    def start_loop(self):
        self._service.start()

    def run_loop(self):
        self._service.run()


class SVSummaryThread(_ServiceThread):
    """Computes summaries periodically."""

    def __init__(self, sv, sess):
        super().__init__(sv, sv._summary_service(sess))


class SVStepCounterThread(_ServiceThread):
    """Measures steps per second periodically."""

    def __init__(self, sv, sess, step_counter=None):
        super().__init__(sv, sv._step_counter_service(sess, step_counter))


class SVTimerCheckpointThread(_ServiceThread):
    """Saves checkpoints periodically."""

    def __init__(self, sv, sess):
        super().__init__(sv, sv._checkpoint_service(sess))


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
    """Calls train_step_fn(sess, *args, **kwargs) until the supervisor stops. Starts over after a task restart."""
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
            return
        except _errors.AbortedError:
            pass
