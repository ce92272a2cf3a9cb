"""slim.learning: training loops under a Supervisor. The loop itself is C++ (train/train_loop.h)."""
import os
import time

from weir import _weir, errors as _errors
from weir._names import find as _find
from weir.lib import log as _log
from weir.lib.contrib_optimize import (add_gradients_summaries, clip_gradient_norms, create_train_op,  # noqa: F401 (public names)
                                       multiply_gradients)

_USE_DEFAULT = 0


def train_step(sess, train_op, global_step, train_step_kwargs):
    """Runs one step. Returns the loss, and whether to stop."""
    started = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
        if sess.run(train_step_kwargs["should_trace"]):
            options = _find("RunOptions")(trace_level=_find("RunOptions").FULL_TRACE)
            metadata = _find("RunMetadata")()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - started
    if metadata is not None:
        _write_trace(metadata, step, train_step_kwargs)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        _log.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, elapsed)
    return loss, sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False


def _write_trace(metadata, step, kwargs):
    from weir.lib.timeline import Timeline
    path = os.path.join(kwargs["logdir"], f"tf_trace-{step}.json")
    _log.info("Writing trace to %s", path)
    with _find("gfile.GFile")(path, "w") as file:
        file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
    if kwargs.get("summary_writer") is not None:
        kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")


def _check(train_op, logdir, summary_op, saver, startup_delay_steps, sync_optimizer, number_of_steps, trace_every_n_steps):
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        for name, given in (("summary_op", summary_op is not _USE_DEFAULT), ("saver", saver is not None),
                            ("trace_every_n_steps", trace_every_n_steps is not None)):
            if given:
                raise ValueError(f"Cannot provide {name} because logdir=None")
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _local_init(is_chief, sync_optimizers, given):
    """Returns the op that initializes local state, and the op that checks whether it may run."""
    if given is _USE_DEFAULT:
        given = _weir.group(_find("local_variables_initializer")(), _find("tables_initializer")())
    if not sync_optimizers:
        return given, None
    with _weir.control_dependencies([given] if given is not None else []):
        op = _weir.group(*[opt.chief_init_op if is_chief else opt.local_step_init_op for opt in sync_optimizers])
    return op, _find("concat")([opt.ready_for_local_init_op for opt in sync_optimizers], axis=0)


def _conditions(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir):
    should_stop, should_log, should_trace = _weir.train_step_conditions(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps)
    kwargs = {"should_stop": should_stop}
    if should_log is not None:
        kwargs["should_log"] = should_log
    if should_trace is not None:
        kwargs.update(should_trace=should_trace, logdir=logdir)
    return kwargs


def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_USE_DEFAULT, log_every_n_steps=1, graph=None, master="",
          is_chief=True, global_step=None, number_of_steps=None, init_op=_USE_DEFAULT, init_feed_dict=None, local_init_op=_USE_DEFAULT,
          init_fn=None, ready_op=_USE_DEFAULT, summary_op=_USE_DEFAULT, save_summaries_secs=600, summary_writer=_USE_DEFAULT,
          startup_delay_steps=0, saver=None, save_interval_secs=600, sync_optimizer=None, session_config=None, session_wrapper=None,
          trace_every_n_steps=None, ignore_live_threads=False):
    """Trains until number_of_steps, the end of the input or a stop. Returns the loss of the last step."""
    _check(train_op, logdir, summary_op, saver, startup_delay_steps, sync_optimizer, number_of_steps, trace_every_n_steps)
    graph = graph or _weir.get_default_graph()
    optimizers = [sync_optimizer] if sync_optimizer is not None and not isinstance(sync_optimizer, (list, tuple)) else list(sync_optimizer or [])
    with graph.as_default():
        if global_step is None:
            global_step = _find("train.get_or_create_global_step")()
        saver = saver or _find("train.Saver")()
        if any(not isinstance(opt, _find("train.SyncReplicasOptimizer")) for opt in optimizers):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
        with _weir.name_scope("init_ops"):
            if init_op is _USE_DEFAULT:
                init_op = _find("global_variables_initializer")()
            if ready_op is _USE_DEFAULT:
                ready_op = _find("report_uninitialized_variables")()
            local_init_op, ready_for_local_init_op = _local_init(is_chief, optimizers, local_init_op)
        if summary_op is _USE_DEFAULT:
            summary_op = _find("summary.merge_all")()
        init_tokens = [opt.get_init_tokens_op() for opt in optimizers] if is_chief else []
        chief_runners = [opt.get_chief_queue_runner() for opt in optimizers] if is_chief else []
        if train_step_kwargs is _USE_DEFAULT:
            train_step_kwargs = _conditions(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps if is_chief else None, logdir)
    sv = _find("train.Supervisor")(
        graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op, init_feed_dict=init_feed_dict, local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op, ready_op=ready_op, summary_op=summary_op, summary_writer=summary_writer,
        global_step=global_step, saver=saver, save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs, init_fn=init_fn)
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = sv.summary_writer
    loss = [None]

    def run(session):
        _log.info("Starting Session.")
        wrapped = session if session_wrapper is None else session_wrapper(session)
        if is_chief and logdir:
            sv.start_standard_services(session)
        threads = sv.start_queue_runners(session)
        _log.info("Starting Queues.")
        if chief_runners:
            sv.start_queue_runners(session, chief_runners)

        def step():
            loss[0], stop = train_step_fn(wrapped, train_op, global_step, train_step_kwargs)
            return stop
        sv._train_loop(session, step, min(startup_delay_steps, number_of_steps or startup_delay_steps), init_tokens)
        if is_chief and logdir:
            sv.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
    while True:
        try:
            with sv.managed_session(master, start_standard_services=False, config=session_config) as session:
                run(session)
            return loss[0]
        except _errors.AbortedError:
            _log.info("Retrying training!")
