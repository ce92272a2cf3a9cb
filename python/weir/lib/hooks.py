"""Hooks of monitored sessions: the base class for users, and the built-in hooks, which are implemented in C++."""
import collections
import os
import weakref

import numpy as _np

from weir import _weir
from weir._weir import SecondOrStepTimer  # noqa: F401 (a public name)
from weir.lib import log as _log


def _as_graph_element(obj):
    """Returns an element of the default graph, given itself or its name. The name of an operation stands for its only output."""
    graph = _weir.get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, "graph", None) is not graph:
            raise ValueError(f"Passed {obj} should have graph attribute that is equal to current graph {graph}.")
        return obj
    if ":" in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(obj + ":0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {obj} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element


class NanLossDuringTrainingError(RuntimeError):
    def __str__(self):
        return "NaN loss during training."


class SessionRunArgs(collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """Fetches, feeds and options that a hook adds to a call of run()."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = collections.namedtuple("SessionRunValues", ["results", "options", "run_metadata"])


class SessionRunContext:
    """A call of run(), as seen by hooks."""

    def __init__(self, original_args, session):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        return self._original_args

    @property
    def session(self):
        return self._session

    @property
    def stop_requested(self):
        return self._stop_requested

    def request_stop(self):
        """Makes should_stop() of the session return True after this step."""
        self._stop_requested = True


class SessionRunHook:
    """Base class of hooks. A monitored session calls these methods around every step."""

    def begin(self):
        """Called once, before the session is created. The graph can be modified only until then."""

    def after_create_session(self, session, coord):
        """Called for every new session, also after recovery from a failure."""

    def before_run(self, run_context):
        """Called before every step. Returns a SessionRunArgs with additional fetches and feeds, or None."""
        return None

    def after_run(self, run_context, run_values):
        """Called after every successful step."""

    def end(self, session):
        """Called at the end, unless an error ended the loop."""


class BuiltInHook(SessionRunHook):
    """A hook implemented in C++. A monitored session calls it directly, unless a derived class overrides a method."""
    _hook: _weir.Hook

    def begin(self):
        self._hook.begin()

    def after_create_session(self, session, coord):
        self._hook.after_create_session(session, coord)

    def before_run(self, run_context):
        return self._hook.before_run(run_context)

    def after_run(self, run_context, run_values):
        self._hook.after_run(run_context, run_values)

    def end(self, session):
        self._hook.end(session)

    @property
    def _timer(self):
        return self._hook.timer


class StopAtStepHook(BuiltInHook):
    """Requests a stop after num_steps steps, or at last_step. Both may be fractions."""

    def __init__(self, num_steps=None, last_step=None):
        self._num_steps = num_steps
        self._hook = _weir.stop_at_step_hook(num_steps, last_step)

    @property
    def _last_step(self):
        """The last step. With num_steps, None before the first session."""
        step = self._hook.last_step
        return int(step) if step is not None and step == int(step) else step


class LoggingTensorHook(BuiltInHook):
    """Logs tensors every N steps or seconds, and optionally at the end. Derived classes may override _log_tensors."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        self._tag_order = sorted(tensors) if isinstance(tensors, dict) else list(tensors)
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in self._tag_order}
        self._formatter = formatter
        self._log_at_end = at_end
        self._seconds = None  # since the previous line

        # C++ holds references to these functions that the garbage collector cannot see. The functions hold only a weak
        # reference to the hook, because it could never be collected otherwise.
        tags, tensors, hook = self._tag_order, self._tensors, weakref.ref(self)

        def elements():
            return [(tag, _as_graph_element(tensors[tag])) for tag in tags]

        def log(values, seconds):
            logging_hook = hook()
            if logging_hook is not None:
                logging_hook._seconds = seconds
                logging_hook._log_tensors(dict(zip(tags, values)))
            return ""

        self._hook = _weir.logging_tensor_hook(elements, every_n_iter, every_n_secs, at_end, log)

    def _log_tensors(self, tensor_values):
        if self._formatter:
            return _log.info("%s", self._formatter(tensor_values))
        with _np.printoptions(suppress=True):
            text = ", ".join(f"{tag} = {tensor_values[tag]!s}" for tag in self._tag_order)
        return _log.info("%s", text if self._seconds is None else f"{text} ({self._seconds:.3f} sec)")

    def before_run(self, run_context):
        wanted = super().before_run(run_context)
        return wanted and SessionRunArgs(dict(zip(self._tag_order, wanted.fetches)))

    def after_run(self, run_context, run_values):
        if run_values.results is not None:
            run_values = run_values._replace(results=[run_values.results[tag] for tag in self._tag_order])
        super().after_run(run_context, run_values)


class NanTensorHook(BuiltInHook):
    """Checks a loss after every step. NaN raises an error or, if fail_on_nan_loss is False, requests a stop."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss
        if isinstance(loss_tensor, str):
            self._hook = _weir.nan_tensor_hook_by_name(lambda: _as_graph_element(loss_tensor), fail_on_nan_loss)
        else:
            self._hook = _weir.nan_tensor_hook(loss_tensor, fail_on_nan_loss)


class GlobalStepWaiterHook(BuiltInHook):
    """Delays the first step until the global step reaches a number."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step
        self._hook = _weir.global_step_waiter_hook(wait_until_step)


class CheckpointSaverListener:
    """Base class of listeners. A CheckpointSaverHook calls these methods around every checkpoint."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        """Called after saving. Return True to request a stop."""

    def end(self, session, global_step_value):
        pass


class CheckpointSaverHook(BuiltInHook):
    """Saves checkpoints: at the start, every N seconds or steps, and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt", scaffold=None,
                 listeners=None):
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        given = None
        if saver is not None:
            given = lambda: saver  # noqa: E731
        elif scaffold is not None:
            given = lambda: scaffold.saver  # noqa: E731
        self._saver, self._scaffold, self._checkpoint_dir = saver, scaffold, checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._listeners = listeners = list(listeners or [])
        self._hook = _weir.checkpoint_saver_hook(checkpoint_dir, save_secs, save_steps, given, checkpoint_basename, listeners)


class SummarySaverHook(BuiltInHook):
    """Writes summaries: for the first step, and then every N steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._summary_writer, self._output_dir, self._scaffold = summary_op, summary_writer, output_dir, scaffold

        def summaries():
            found = summary_op if summary_op is not None else scaffold.summary_op
            if found is None:
                return []
            graph = _weir.get_default_graph()
            items = found if isinstance(found, (list, tuple)) else [found]
            return [graph.as_graph_element(item) if isinstance(item, str) else item for item in items]

        self._hook = _weir.summary_saver_hook(save_steps, save_secs, output_dir, summary_writer, summaries)


class StepCounterHook(BuiltInHook):
    """Logs and records the number of steps per second. Derived classes may override _log_and_record."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        self._summary_writer, self._output_dir = summary_writer, output_dir
        record = None
        if type(self)._log_and_record is not StepCounterHook._log_and_record:
            hook = weakref.ref(self)  # C++ holds the function, which must not hold the hook

            def record(elapsed_steps, elapsed_time, global_step):
                if hook() is not None:
                    hook()._log_and_record(elapsed_steps, elapsed_time, global_step)
        self._hook = _weir.step_counter_hook(every_n_steps, every_n_secs, output_dir, summary_writer, record)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        _weir.record_step_rate(self._hook, elapsed_steps, elapsed_time, global_step)

    def _set_steps_per_run(self, steps_per_run):
        _weir.set_steps_per_run(self._hook, steps_per_run)


class ProfilerHook(BuiltInHook):
    """Traces a step every N steps or seconds. Writes timeline-STEP.json files for chrome://tracing."""

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False):
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._hook = _weir.profiler_hook(save_steps, save_secs, output_dir, show_dataflow, show_memory)


class FinalOpsHook(SessionRunHook):
    """Runs final_ops at the end. final_ops_values is the result."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is not None:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)


class FeedFnHook(SessionRunHook):
    """Feeds every step with the result of feed_fn()."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
