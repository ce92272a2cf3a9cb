"""tf.contrib.opt: optimizers of workers that train their own variables and periodically move them towards shared ones."""
from weir import _weir
from weir._names import find as _find
from weir.lib.contrib_opt import _Wrapper
from weir.lib.graph_keys import GraphKeys
from weir.lib.hooks import SessionRunHook

_LOCAL, _GLOBAL = "local_center_variable", "global_center_variable"


class ElasticAverageCustomGetter:
    """Makes trainable variables local to the worker. Adds two averages ("centers") for each: one that all workers share, and the
    worker's copy of it.
    """

    def __init__(self, worker_device):
        self._worker_device = worker_device
        self._local_map, self._global_map = {}, {}

    def __call__(self, getter, name, trainable=True, collections=None, *args, **kwargs):
        if not trainable:
            return getter(name, *args, trainable=False, collections=collections, **kwargs)

        def of_worker(its_name, its_trainable):
            with _weir.device(self._worker_device):
                return getter(its_name, *args, trainable=its_trainable, collections=[GraphKeys.LOCAL_VARIABLES], **kwargs)
        variable = of_worker(name, True)
        if variable.op.name not in self._local_map:
            self._global_map[variable.op.name] = getter(f"{_GLOBAL}/{name}", *args, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
                                                        **kwargs)
            self._local_map[variable.op.name] = of_worker(f"{_LOCAL}/{name}", False)
        return variable


class ElasticAverageOptimizer(_Wrapper):
    """Every communication_period steps, a worker's variables and the shared ones move towards each other by moving_rate."""
    BETA = 0.9

    def __init__(self, opt, num_worker, ea_custom_getter, communication_period=10, moving_rate=None, rho=None, use_locking=True,
                 synchronous=False, name="ElasticAverageOptimizer"):
        from weir.lib.initializers import Zeros
        super().__init__(opt, use_locking, name)
        self._num_worker, self._period, self._synchronous = num_worker, communication_period, synchronous
        self._local_map, self._global_map = ea_custom_getter._local_map, ea_custom_getter._global_map
        self._moving_rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
        self._rho = rho
        self._local_step = _weir.get_variable("local_step", shape=[], dtype="int32", initializer=Zeros(), trainable=False,
                                              collections=[GraphKeys.LOCAL_VARIABLES])

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        """Adds the distance to the worker's centers, times rho, to the loss."""
        var_list = var_list or _find("trainable_variables")()
        if self._rho is None:
            raise ValueError("rho is required: its usual value is moving_rate / learning_rate")
        distance = _weir.add_n([_find("nn.l2_loss")(var - self._local_map[var.op.name]) for var in var_list])
        return self._opt.compute_gradients(loss + self._rho * distance, var_list, gate_gradients=gate_gradients,
                                           aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops,
                                           grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        graph = pairs[0][1].graph
        before = list(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
        applied = self._opt.apply_gradients(pairs)
        self._make_new_variables_local(graph, before)
        with _weir.control_dependencies([applied]):
            step = _find("assign_add")(self._local_step, 1, name="local_step_update")
        variables = [var for grad, var in pairs if grad is not None]

        def move():
            return self._move(variables, global_step)
        with _weir.control_dependencies([step]):
            return _find("cond")(_find("equal")(step % self._period, 0), move, _find("no_op"))

    @staticmethod
    def _make_new_variables_local(graph, before):
        """The optimizer's variables belong to the worker."""
        known = {var.op.name for var in before}
        variables = graph.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
        for var in [v for v in variables if v.op.name not in known]:
            variables.remove(var)
            graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, var)

    def _move(self, variables, global_step):
        fetched = [_find("assign")(self._local_map[var.op.name], self._global_map[var.op.name]) for var in variables]
        with _weir.control_dependencies(fetched):
            differences = [_find("subtract")(var, center) for var, center in zip(variables, fetched)]
        updates = []
        with _weir.control_dependencies(differences):
            for var, difference in zip(variables, differences):
                updates.append(_find("assign_sub")(var, self._moving_rate * difference))
                updates.append(_find("assign_add")(self._global_map[var.op.name], self._moving_rate * difference))
            if global_step is not None:
                updates.append(_find("assign_add")(global_step, 1))
        return _weir.group(*updates)

    def get_init_op(self, task_index):
        """Returns the op that sets the worker's variables and centers to the shared ones before training."""
        variables = [var for var in _find("trainable_variables")() if var.op.name in self._local_map]
        copies = [_find("assign")(copy, self._global_map[var.op.name]) for var in variables for copy in (var, self._local_map[var.op.name])]
        if not self._synchronous:
            return _weir.group(*copies)
        boolean = _weir.dtypes["bool"]
        queues = [_find("FIFOQueue")(self._num_worker, [boolean], shapes=[[]], shared_name=f"variable_init_sync_queue{i}")
                  for i in range(self._num_worker)]
        with _weir.control_dependencies(copies):
            tokens = [queue.enqueue(False) for i, queue in enumerate(queues) if i != task_index]
        with _weir.control_dependencies(tokens):
            return _weir.group(queues[task_index].dequeue_many(self._num_worker - 1))

    def make_session_run_hook(self, is_chief, task_index):
        """Returns the hook that initializes the worker's variables."""
        return _Hook(self, is_chief, task_index)

    def swapping_saver(self, var_list=None, name="swapping_saver", **kwargs):
        """Returns a saver that saves the shared center of each variable under the variable's name."""
        if not self._global_map:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = _find("global_variables")()
        if not isinstance(var_list, dict):
            var_list = {var.op.name: var for var in var_list}
        centers = {center.op.name: name for name, center in self._global_map.items()}
        return _find("train.Saver")({centers.get(var.op.name, key): var for key, var in var_list.items()}, name=name, **kwargs)


class _Hook(SessionRunHook):
    def __init__(self, optimizer, is_chief, task_index):
        self._optimizer, self._is_chief, self._task_index = optimizer, is_chief, task_index

    def begin(self):
        self._local_init_op = _find("local_variables_initializer")()
        self._global_init_op = _find("global_variables_initializer")() if self._is_chief else None
        self._variable_init_op = self._optimizer.get_init_op(self._task_index)

    def after_create_session(self, session, coord):
        session.run(self._variable_init_op)
