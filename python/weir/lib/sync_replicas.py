"""tf.train.SyncReplicasOptimizer, with the chief's Python threads and its hook."""
import threading

from weir import _weir
from weir.lib.hooks import SessionRunHook
from weir.lib.queue_runner import QueueRunner
from weir.lib.queues import QueueBase


class SyncReplicasOptimizer(_weir.SyncReplicasOptimizer):
    """Synchronizes replicas: applies the mean of their gradients once per step."""

    _runner = None

    def compute_gradients(self, *args, **kwargs):
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the op for a replica to run. It submits the gradients and completes when the step is done."""
        return self._applied(super().apply_gradients(grads_and_vars, global_step, name))

    def get_chief_queue_runner(self):
        """Returns the queue runner that the chief must run during training. Call it after apply_gradients()."""
        if self._runner is None:
            handle = self._chief_runner()
            dtypes, queue_ref = self._token_queue()
            self._runner = QueueRunner(QueueBase(dtypes, [[]], None, queue_ref), handle=handle)
        return self._runner

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """Returns a hook that initializes the optimizer and, on the chief, starts its queue runner."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(SessionRunHook):
    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self):
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._ready_for_local_init_op = optimizer.ready_for_local_init_op
        if self._is_chief:
            self._local_init_op = optimizer.chief_init_op
            self._q_runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._local_init_op = optimizer.local_step_init_op
            self._q_runner = self._init_tokens_op = None

    def after_create_session(self, session, coord):
        missing = session.run(self._ready_for_local_init_op)
        if missing.size:
            names = ", ".join(name.decode() for name in missing)
            raise RuntimeError("Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
                               f"{self._local_init_op.name}, error: Variables not initialized: {names}")
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
        if not self._is_chief:
            thread = threading.Thread(target=self._watch_chief, args=(session, coord), name="watch_chief", daemon=True)
            coord.register_thread(thread)
            thread.start()

    def _watch_chief(self, session, coord):
        with coord.stop_on_exception():
            self._sync_optimizer._watch_chief(session, coord)
