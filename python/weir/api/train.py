"""Gradients, optimizers, learning rates, moving averages, the global step, placement of parameters, coordinators."""

_OPTIMIZERS = ["GradientDescent", "Momentum", "Adagrad", "AdagradDA", "Adadelta", "Adam", "RMSProp", "Ftrl",
               "ProximalGradientDescent", "ProximalAdagrad"]
_DECAYS = ["exponential_decay", "natural_exp_decay", "inverse_time_decay", "polynomial_decay", "piecewise_constant", "cosine_decay",
           "cosine_decay_restarts", "linear_cosine_decay", "noisy_linear_cosine_decay"]
_STEPS = ["get_global_step", "create_global_step", "get_or_create_global_step", "assert_global_step"]
_QUEUE_RUNNERS = ["QueueRunner", "add_queue_runner", "start_queue_runners"]
_SUPERVISOR = ["Supervisor", "SVSummaryThread", "SVStepCounterThread", "SVTimerCheckpointThread"]
_PLACEMENT = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]

NAMES = {
    "gradients": "gradients",
    "hessians": "hessians",
    "RegisterGradient": "weir.lib.gradients:RegisterGradient",
    "NoGradient": "weir.lib.gradients:no_gradient",
    "NotDifferentiable": "weir.lib.gradients:no_gradient",
    "no_gradient": "weir.lib.gradients:no_gradient",
    "AggregationMethod": "weir.lib.gradients:AggregationMethod",
    "custom_gradient": "weir.lib.gradients:custom_gradient",
    "recompute_grad": "weir.lib.gradients:recompute_grad",
    "train.sdca_fprint": "op:SdcaFprint",
    "train.sdca_shrink_l1": "op:SdcaShrinkL1",
    "grad_pass_through": "weir.lib.gradients:grad_pass_through",
    "UnconnectedGradients": "weir.lib.gradients:UnconnectedGradients",
    "clip_by_value": "clip_by_value",
    "clip_by_norm": "clip_by_norm",
    "clip_by_average_norm": "clip_by_average_norm",
    "clip_by_global_norm": "clip_by_global_norm",
    "global_norm": "global_norm",
    "train.replica_device_setter": "replica_device_setter",
    **{f"contrib.training.{name}": name for name in _PLACEMENT},
    "python.training.device_setter.*": "=train.",
    "python.training.device_setter._RoundRobinStrategy": "weir.lib.device_setter:_RoundRobinStrategy",
    "train.Coordinator": "Coordinator",
    "train.LooperThread": "weir.lib.looper:LooperThread",
    **{f"train.{name}": f"weir.lib.queue_runner:{name}" for name in _QUEUE_RUNNERS},
    **{f"train.queue_runner.{name}": f"=train.{name}" for name in _QUEUE_RUNNERS},
    "train.SessionManager": "SessionManager",
    "train.Scaffold": "weir.lib.scaffold:Scaffold",
    "train.Supervisor": "weir.lib.supervisor:Supervisor",
    "train.basic_train_loop": "weir.lib.supervisor:basic_train_loop",
    **{f"python.training.supervisor.{name}": f"weir.lib.supervisor:{name}" for name in _SUPERVISOR},
    "python.training.session_manager.*": "=train.",
    "python.training.queue_runner.*": "=train.",
    "python.training.coordinator.*": "=train.",
    "train.Server": "weir.lib.server:Server",
    "train.Optimizer": "Optimizer",
    **{f"train.{name}Optimizer": f"{name}Optimizer" for name in _OPTIMIZERS},
    "train.SyncReplicasOptimizer": "weir.lib.sync_replicas:SyncReplicasOptimizer",
    "python.training.sync_replicas_optimizer.*": "=train.",
    **{f"train.{name}": name for name in _DECAYS},
    "train.piecewise_constant_decay": "piecewise_constant",
    "train.ExponentialMovingAverage": "ExponentialMovingAverage",
    **{f"train.{name}": f"weir.lib.global_step:{name}" for name in _STEPS},
    **{f"contrib.framework.{name}": f"weir.lib.global_step:{name}" for name in _STEPS},
    "train.global_step": "weir.lib.global_step:global_step",
    "python.training.optimizer.*": "=train.",
    "python.training.training_util.*": "=train.",
    **{f"python.training.training_util.{name}": f"weir.lib.global_step:{name}"
       for name in ("_get_or_create_global_step_read", "_increment_global_step")},
}
