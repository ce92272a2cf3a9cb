"""Writing datasets to record files, and iterators to checkpoints."""
import os

from weir import _weir
from weir.lib.hooks import SessionRunArgs, SessionRunHook
from weir.lib.records import TFRecordOptions


class TFRecordWriter:
    """Writes a dataset of scalar strings to a record file."""

    def __init__(self, filename, compression_type=None):
        self._filename = _weir.convert_to_tensor(filename, dtype=_weir.dtypes["string"], name="filename")
        self._compression_type = TFRecordOptions.get_compression_type_string(compression_type)

    def write(self, dataset):
        """Returns an op that writes all elements of the dataset."""
        from weir.lib.datasets import Dataset
        if not isinstance(dataset, Dataset):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        if dataset.output_types != _weir.dtypes["string"] or not dataset.output_shapes.is_compatible_with([]):
            raise TypeError(f"`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape {dataset.output_shapes} and types "
                            f"{dataset.output_types}")
        return _weir.op_function("DatasetToTFRecord")(dataset._variant_tensor, self._filename, self._compression_type)


def _handle(iterator):
    return iterator._flat[0] if isinstance(iterator._flat, tuple) else iterator._flat


def _state(handle):
    with _weir.get_default_graph().colocate_with(handle.op):
        return _weir.op_function("SerializeIterator")(handle)


def make_saveable_from_iterator(iterator):
    """Returns an object for the collection tf.GraphKeys.SAVEABLE_OBJECTS, whose savers then save the position of the iterator.

    Restoring a checkpoint starts a new pass over the dataset and skips the elements that the saved pass had returned. The iterator
    must be initialized before.
    """
    handle = _handle(iterator)
    return _weir.SavedIterator(handle, _state(handle))


class CheckpointInputPipelineHook(SessionRunHook):
    """Saves the iterators of the graph beside the checkpoints of an estimator, in its own files, and restores them."""

    def __init__(self, estimator):
        config = estimator.config
        if config.save_checkpoints_secs is None and config.save_checkpoints_steps is None:
            raise ValueError("Either one of save_checkpoints_steps or save_checkpoints_secs should be set in the estimator's RunConfig")
        from weir.lib.hooks import SecondOrStepTimer
        self._timer = SecondOrStepTimer(config.save_checkpoints_secs, config.save_checkpoints_steps)
        suffix = "" if config.num_worker_replicas <= 1 else f"_{config.task_type}_{config.task_id}"
        self._path = os.path.join(estimator.model_dir, f"input{suffix}.ckpt")

    def begin(self):
        import weir as tf
        self._step = tf.train.get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use CheckpointInputPipelineHook.")
        graph = tf.get_default_graph()
        handles = [op.outputs[0] for op in graph.get_operations() if op._traits.is_iterator]
        if not handles:
            raise ValueError("CheckpointInputPipelineHook found no iterators in the graph: create the dataset before the session")
        names = [handle.op.name for handle in handles]
        with tf.name_scope("checkpoint_input"):
            self._save = tf.raw_ops.SaveV2(prefix=self._path, tensor_names=names, shape_and_slices=[""] * len(names),
                                           tensors=[_state(handle) for handle in handles])
            states = tf.raw_ops.RestoreV2(prefix=self._path, tensor_names=names, shape_and_slices=[""] * len(names),
                                          dtypes=[tf.variant] * len(names))
            self._restore = tf.group(*[tf.raw_ops.DeserializeIterator(resource_handle=handle, serialized=state)
                                       for handle, state in zip(handles, states)])

    def after_create_session(self, session, coord):
        if os.path.exists(self._path + ".index"):
            session.run(self._restore)
        self._timer.reset()
        self._timer.update_last_triggered_step(session.run(self._step))

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        step = run_values.results
        if self._timer.should_trigger_for_step(step + 1):
            step = run_context.session.run(self._step)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                run_context.session.run(self._save)

    def end(self, session):
        session.run(self._save)
