"""tf.contrib.training and slim.evaluation: loops that train, or evaluate checkpoints as they appear, in monitored sessions."""
import time

from weir import _weir
from weir._names import find as _find
from weir.lib import log as _log
from weir.lib.graph_keys import GraphKeys
from weir.lib.hooks import SessionRunHook

_USE_DEFAULT = 0


def train(train_op, logdir, master="", is_chief=True, scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=600,
          save_summaries_steps=100, config=None, max_wait_secs=7200, run_metadata=None):
    """Runs train_op in a MonitoredTrainingSession until a hook requests a stop. Returns its last value."""
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("logdir cannot be None when save_summaries_steps is not None")
        if save_checkpoint_secs:
            raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    loss = None
    with _find("train.MonitoredTrainingSession")(
            master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks, chief_only_hooks=chief_only_hooks,
            save_checkpoint_secs=save_checkpoint_secs, save_summaries_steps=save_summaries_steps, config=config,
            max_wait_secs=max_wait_secs) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


# --- waiting for checkpoints ---
def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
    """Returns the path of a checkpoint that differs from the last one; None after the timeout (in seconds)."""
    return _weir.wait_for_new_checkpoint(checkpoint_dir, last_checkpoint, seconds_to_sleep, timeout)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the newest checkpoint whenever there is a new one. Ends after a timeout, unless timeout_fn() returns False."""
    path = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if found is None:
            if not timeout_fn:
                _log.info("Timed-out waiting for a checkpoint.")
                return
            if timeout_fn():
                return
            continue
        started = time.time()
        path = found
        yield path
        left = started + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


# --- evaluation ---
def get_or_create_eval_step():
    """Returns the local variable that counts the runs of eval_ops."""
    graph = _weir.get_default_graph()
    steps = graph.get_collection(GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    from weir.lib.initializers import Zeros
    return _weir.get_variable("eval_step", shape=[], dtype="int64", initializer=Zeros(), trainable=False,
                              collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


class StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop after num_evals runs of the evaluation ops; None: never. Logs progress."""

    def __init__(self, num_evals, log_progress=True):
        self._num_evals, self._log_progress, self._completed = num_evals, log_progress, None
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else int(num_evals / 10)

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._completed = updated_eval_step

    def before_run(self, run_context):
        from weir.lib.hooks import SessionRunArgs
        return SessionRunArgs({"evals_completed": self._completed})

    def after_run(self, run_context, run_values):
        completed = run_values.results["evals_completed"]
        if self._log_progress and (completed % self._log_frequency == 0 or completed == self._num_evals):
            _log.info("Evaluation [%d]" if self._num_evals is None else "Evaluation [%d/%d]",
                      *([completed] if self._num_evals is None else [completed, self._num_evals]))
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes a summary at the end."""

    def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._log_dir, self._summary_writer, self._summary_op, self._feed_dict = log_dir, summary_writer, summary_op, feed_dict
        self._replace_summary_op = summary_op is None

    def begin(self):
        if self._replace_summary_op:
            self._summary_op = _find("summary.merge_all")()
        self._global_step = _find("train.get_or_create_global_step")()

    def after_create_session(self, session, coord):
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = _find("summary.FileWriterCache").get(self._log_dir)

    def end(self, session):
        if self._summary_op is not None:
            step = _find("train.global_step")(session, self._global_step)
            summary = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(summary, step)
        if self._summary_writer:
            self._summary_writer.flush()


def _counting(eval_ops, hooks):
    """Adds an op that counts the runs to eval_ops, and gives it to the hooks that stop after a number of runs."""
    if eval_ops is None:
        return None
    update = _find("assign_add")(get_or_create_eval_step(), 1)
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(update)
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": update}
    return [*(eval_ops if isinstance(eval_ops, (list, tuple)) else [eval_ops]), update]


def _evaluate(checkpoint_path, master, scaffold, eval_ops, feed_dict, hooks, config):
    creator = _find("train.ChiefSessionCreator")(scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config)
    with _find("train.MonitoredSession")(session_creator=creator, hooks=hooks) as session:
        _log.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
        _log.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))


def evaluate_once(checkpoint_path, master="", scaffold=None, eval_ops=None, feed_dict=None, final_ops=None, final_ops_feed_dict=None,
                  hooks=None, config=None):
    """Evaluates a checkpoint. Returns the values of final_ops, which run after the last run of eval_ops."""
    get_or_create_eval_step()
    hooks = list(hooks or [])
    eval_ops = _counting(eval_ops, hooks)
    final = _find("train.FinalOpsHook")(final_ops, final_ops_feed_dict)
    _evaluate(checkpoint_path, master, scaffold, eval_ops, feed_dict, [*hooks, final], config)
    return final.final_ops_values


def evaluate_repeatedly(checkpoint_dir, master="", scaffold=None, eval_ops=None, feed_dict=None, final_ops=None, final_ops_feed_dict=None,
                        eval_interval_secs=60, hooks=None, config=None, max_number_of_evaluations=None, timeout=None, timeout_fn=None):
    """Evaluates every new checkpoint of a directory. Returns the values of final_ops of the last evaluation."""
    get_or_create_eval_step()
    hooks = list(hooks or [])
    eval_ops = _counting(eval_ops, hooks)
    final = _find("train.FinalOpsHook")(final_ops, final_ops_feed_dict)
    evaluations = 0
    for path in checkpoints_iterator(checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn):
        _evaluate(path, master, scaffold, eval_ops, feed_dict, [*hooks, final], config)
        evaluations += 1
        if max_number_of_evaluations is not None and evaluations >= max_number_of_evaluations:
            break
    return final.final_ops_values


# --- slim.evaluation ---
def _slim_hooks(num_evals, summary_op, logdir, summary_op_feed_dict, hooks):
    if summary_op is _USE_DEFAULT:
        summary_op = _find("summary.merge_all")()
    made = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        made.append(SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
    return made + list(hooks or [])


def _slim_scaffold(initial_op, initial_op_feed_dict, init_fn, variables_to_restore):
    saver = None if variables_to_restore is None else _find("train.Saver")(variables_to_restore)
    return _find("train.Scaffold")(init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver)


def slim_evaluate_once(master, checkpoint_path, logdir, num_evals=1, initial_op=None, initial_op_feed_dict=None, eval_op=None,
                       eval_op_feed_dict=None, final_op=None, final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                       variables_to_restore=None, session_config=None, hooks=None):
    """slim.evaluation.evaluate_once."""
    return evaluate_once(checkpoint_path, master, _slim_scaffold(initial_op, initial_op_feed_dict, None, variables_to_restore), eval_op,
                         eval_op_feed_dict, final_op, final_op_feed_dict,
                         _slim_hooks(num_evals, summary_op, logdir, summary_op_feed_dict, hooks), session_config)


def slim_evaluation_loop(master, checkpoint_dir, logdir, num_evals=1, initial_op=None, initial_op_feed_dict=None, init_fn=None, eval_op=None,
                         eval_op_feed_dict=None, final_op=None, final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                         variables_to_restore=None, eval_interval_secs=60, max_number_of_evaluations=None, session_config=None, timeout=None,
                         timeout_fn=None, hooks=None):
    """slim.evaluation.evaluation_loop."""
    return evaluate_repeatedly(checkpoint_dir, master, _slim_scaffold(initial_op, initial_op_feed_dict, init_fn, variables_to_restore), eval_op,
                               eval_op_feed_dict, final_op, final_op_feed_dict, eval_interval_secs,
                               _slim_hooks(num_evals, summary_op, logdir, summary_op_feed_dict, hooks), session_config,
                               max_number_of_evaluations, timeout, timeout_fn)
