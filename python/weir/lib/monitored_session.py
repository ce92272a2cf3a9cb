"""tf.train.MonitoredSession and related classes: TensorFlow's names and defaults for the C++ implementation."""
import collections as _collections
import inspect as _inspect

from weir import _weir, errors as _errors
from weir.lib import live_line as _live_line
from weir.lib.scaffold import Scaffold as _Scaffold

_USE_DEFAULT = object()
_RECOVERY_WAIT_SECS = 30


class SessionCreator:
    """Base class of session creators. A monitored session accepts any object with this method."""

    def create_session(self):
        """Returns a tf.Session whose model is ready."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
    """Creates a session and restores the model from the last checkpoint, or initializes it."""

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                 recovery_wait_secs=_RECOVERY_WAIT_SECS):
        self._arguments = (scaffold or _Scaffold(), master, config, checkpoint_dir, checkpoint_filename_with_path, recovery_wait_secs)

    def create_session(self):
        return _weir.chief_session(*self._arguments)


class WorkerSessionCreator(SessionCreator):
    """Creates a session and waits until the chief has initialized the model."""

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60, recovery_wait_secs=_RECOVERY_WAIT_SECS):
        self._arguments = (scaffold or _Scaffold(), master, config, max_wait_secs, recovery_wait_secs)

    def create_session(self):
        return _weir.worker_session(*self._arguments)


class StepContext:
    """The argument of a step function of run_step_fn."""

    def __init__(self, session, run_with_hooks):
        self._session = session
        self._run_with_hooks = run_with_hooks

    @property
    def session(self):
        return self._session

    def run_with_hooks(self, *args, **kwargs):
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self):
        """Leaves the step function and the `with` block of the session."""
        raise StopIteration("step_fn has requested the iterations to stop.")


_Coordinated = _collections.namedtuple("_Coordinated", ["tf_sess", "coord"])


class _Wrapped:
    """A session around another session."""

    def __init__(self, inner):
        self._sess = inner

    def __getattr__(self, name):
        return getattr(self._sess, name)


def _nested(session, layers):
    for _ in range(layers if session is not None else 0):
        session = _Wrapped(session)
    return session


class _MonitoredSession:
    StepContext = StepContext
    _layers = 4  # TensorFlow's classes around the tf.Session: one each for recovery, the coordinator, the hooks and this one

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120, recovery_wait_secs=_RECOVERY_WAIT_SECS):
        _live_line.redirect_output_above_live_line()
        self._hooks = list(hooks or [])
        self._core = _weir.MonitoredSessionCore(session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs,
                                                should_recover, recovery_wait_secs)

    @property
    def _coordinated_creator(self):
        """The current session and coordinator. Both change when a task is lost."""
        return _Coordinated(self._core.session(), self._core.coordinator())

    def _tf_sess(self):
        """The current tf.Session. It runs steps without hooks and without recovery."""
        return self._core.session()

    @property
    def _sess(self):
        """Programs reach the tf.Session by a chain of these attributes, one for each of TensorFlow's classes around it."""
        return _nested(self._core.session(), self._layers - 1)

    @property
    def graph(self):
        session = self._core.session()
        return None if session is None else session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._core.run(fetches, feed_dict, options, run_metadata, False)

    def run_step_fn(self, step_fn):
        """Calls step_fn(step_context), which may run parts of a step without hooks in the same session."""
        parameters = [name for name in _inspect.signature(step_fn).parameters if name != "self"]
        if parameters != ["step_context"]:
            raise ValueError(f"`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an "
                             f"instance method. Got {parameters} instead.")
        if self._core.closed():
            raise RuntimeError("Session is already closed.")

        def run_with_hooks(fetches, feed_dict=None, options=None, run_metadata=None):
            return self._core.run(fetches, feed_dict, options, run_metadata, True)

        return self._core.run_step_fn(lambda session: step_fn(StepContext(session, run_with_hooks)))

    def should_stop(self):
        return self._core.should_stop()

    def close(self):
        self._core.close(False)

    def _is_closed(self):
        return self._core.closed()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        ended = exception_type in (None, _errors.OutOfRangeError, StopIteration)
        self._core.close(not ended)
        return ended


class MonitoredSession(_MonitoredSession):
    """A session with hooks that recovers from lost tasks. Close it, or use it in a `with` statement."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120, recovery_wait_secs=_RECOVERY_WAIT_SECS):
        super().__init__(session_creator, hooks, True, stop_grace_period_secs, recovery_wait_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that does not recover: a lost task is an error."""
    _layers = 3

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None, stop_grace_period_secs=120,
                 checkpoint_filename_with_path=None):
        creator = ChiefSessionCreator(scaffold=scaffold, master=master, config=config, checkpoint_dir=checkpoint_dir,
                                      checkpoint_filename_with_path=checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def should_stop(self):
        """Like MonitoredSession.should_stop, but raises the exception that a thread reported to the coordinator."""
        coord = self._core.coordinator()
        if coord is not None:
            coord.raise_requested_exception()
        return super().should_stop()

    def raw_session(self):
        return self._core.session()


def _interval(secs, steps, default_secs, default_steps):
    """Uses the defaults only if neither value is given."""
    if steps is _USE_DEFAULT and secs is _USE_DEFAULT:
        return default_secs, default_steps
    return None if secs is _USE_DEFAULT else secs, None if steps is _USE_DEFAULT else steps


def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
                             save_checkpoint_secs=_USE_DEFAULT, save_summaries_steps=_USE_DEFAULT, save_summaries_secs=_USE_DEFAULT,
                             config=None, stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200,
                             save_checkpoint_steps=_USE_DEFAULT, summary_dir=None, recovery_wait_secs=_RECOVERY_WAIT_SECS):
    """Creates the session of a task. The chief saves checkpoints and summaries; the other tasks wait for the chief."""
    scaffold = scaffold or _Scaffold()
    all_hooks = _weir.training_hooks(is_chief, scaffold, checkpoint_dir or None, summary_dir or None, hooks, chief_only_hooks,
                                     _interval(save_checkpoint_secs, save_checkpoint_steps, 600, None),
                                     _interval(save_summaries_secs, save_summaries_steps, None, 100), log_step_count_steps)
    if is_chief:
        creator = ChiefSessionCreator(scaffold=scaffold, master=master, config=config, checkpoint_dir=checkpoint_dir,
                                      recovery_wait_secs=recovery_wait_secs)
    else:
        creator = WorkerSessionCreator(scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs,
                                       recovery_wait_secs=recovery_wait_secs)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs, recovery_wait_secs)
