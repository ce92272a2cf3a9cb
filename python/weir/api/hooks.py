"""tf.train: monitored sessions and their hooks."""

_HOOKS = ["SessionRunHook", "SessionRunArgs", "SessionRunContext", "SessionRunValues", "StopAtStepHook", "LoggingTensorHook",
          "NanTensorHook", "NanLossDuringTrainingError", "GlobalStepWaiterHook", "CheckpointSaverListener", "CheckpointSaverHook",
          "SummarySaverHook", "StepCounterHook", "ProfilerHook", "FinalOpsHook", "FeedFnHook", "SecondOrStepTimer"]
_SESSIONS = ["MonitoredSession", "SingularMonitoredSession", "MonitoredTrainingSession", "SessionCreator", "ChiefSessionCreator",
             "WorkerSessionCreator"]

NAMES = {
    **{f"train.{name}": f"weir.lib.hooks:{name}" for name in _HOOKS},
    **{f"train.{name}": f"weir.lib.monitored_session:{name}" for name in _SESSIONS},
    "python.training.monitored_session.*": "=train.",
    "python.training.session_run_hook.*": "=train.",
    "python.training.basic_session_run_hooks.*": "=train.",
}
