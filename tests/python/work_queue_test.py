"""Tests DeepRec's WorkQueue: what it hands out, its readers and datasets, its checkpoints."""
import pytest

import weir as tf
from weir.lib.work_queue import WorkQueue


def _take_all(session, work):
    taken = []
    with pytest.raises(tf.errors.OutOfRangeError, match="no more work"):
        while True:
            taken.append(session.run(work).decode())
    return taken


def _drain(fetch):
    """Returns all values until the input ends, with queue runners."""
    got = []
    with tf.train.MonitoredTrainingSession() as session:
        while not session.should_stop():
            got.append(session.run(fetch).decode())
    return got


def _files(folder, lines):
    for name, texts in lines.items():
        (folder / name).write_text("".join(text + "\n" for text in texts))
    return sorted(str(folder / name) for name in lines)


def test_the_module_of_deeprec(monkeypatch):
    import importlib

    from weir.python.ops import work_queue
    assert work_queue.WorkQueue is WorkQueue
    assert importlib.import_module("weir.python.ops.work_queue").WorkQueue is WorkQueue


def test_takes_every_work_once_per_epoch():
    queue = WorkQueue(["a", "b", "c"], num_epochs=2, shuffle=False, prefix="dir/")
    work, size = queue.take(), queue.size()
    assert (queue.name, work.dtype, work.shape.as_list()) == ("work_queue", tf.string, [])
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
            session.run(work)
        session.run(tf.global_variables_initializer())
        assert session.run(size) == 6
        assert _take_all(session, work) == ["dir/a", "dir/b", "dir/c"] * 2
        assert session.run(size) == 0
        session.run(tf.global_variables_initializer())  # a new run starts over
        assert session.run(work) == b"dir/a"


def test_shuffles_with_a_seed():
    names = [str(i) for i in range(20)]
    queues = [WorkQueue(names, num_epochs=2, seed=seed, name=f"q{i}") for i, seed in enumerate([1, 1, 2])]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        orders = [_take_all(session, queue.take()) for queue in queues]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert sorted(order[:20]) == sorted(order[20:]) == sorted(names)
        assert order[:20] != order[20:]


def test_input_producer_feeds_readers(tmp_path):
    files = _files(tmp_path, {"a": ["1", "2"], "b": [], "c": ["3"]})
    queue = WorkQueue([name.rpartition("/")[2] for name in files], prefix=str(tmp_path) + "/", num_epochs=2)
    _, line = tf.TextLineReader().read(queue.input_producer())
    assert sorted(_drain(line)) == ["1", "1", "2", "2", "3", "3"]


def test_input_dataset_gives_slices(tmp_path):
    files = _files(tmp_path, {"a": [str(i) for i in range(7)], "b": [str(i) for i in range(7, 10)]})
    queue = WorkQueue(files, num_slices=5)

    def lines(work):
        path, index, count = WorkQueue.split_slice(work)
        return tf.data.TextLineDataset(path).shard(count, index)

    iterator = queue.input_dataset().flat_map(lines).make_initializable_iterator()
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    assert sorted(_drain(iterator.get_next())) == [str(i) for i in range(10)]


def test_a_session_holds_one_slice_at_a_time():
    """The producer takes nothing before somebody asks for it."""
    queue = WorkQueue([str(i) for i in range(10)], shuffle=False)
    work, size = queue.input_producer().dequeue(), queue.size()
    with tf.train.MonitoredTrainingSession() as session:
        assert session.run(size) == 10
        for i in range(10):
            assert session.run(work) == str(i).encode()
            assert session.run(size) == 9 - i


def test_split_slice():
    with tf.Session() as session:
        for text, parts in [("x?slice_id=3&slice_count=12", (b"x", 3, 12)), ("a/b?c=d", (b"a/b?c=d", 0, 1)),
                            ("q?a=1\n?slice_id=0&slice_count=2", (b"q?a=1\n", 0, 2))]:
            assert session.run(WorkQueue.split_slice(text)) == parts


def test_checkpoints_hold_what_is_left(tmp_path):
    queue = WorkQueue(["a", "b", "c", "d"], num_epochs=2, shuffle=False)
    work, size = queue.take(), queue.size()
    assert [item.name for item in tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)] == ["work_queue"]
    everything, only_queue = tf.train.Saver(), tf.train.Saver([queue])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(work) for _ in range(2)] == [b"a", b"b"]
        paths = [everything.save(session, str(tmp_path / "all")), only_queue.save(session, str(tmp_path / "queue"))]
    reader = tf.train.load_checkpoint(paths[0])
    assert reader.get_tensor("work_queue-works").tolist() == [b"b", b"c", b"d"]
    for saver, path in zip([everything, only_queue], paths):
        with tf.Session() as session:
            saver.restore(session, path)
            assert session.run(size) == 7
            assert _take_all(session, work) == ["b", "c", "d", "a", "b", "c", "d"]


def test_a_monitored_session_continues_where_it_was(tmp_path):
    def train(steps):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            producer = WorkQueue([str(i) for i in range(9)], shuffle=False).input_producer()
            with tf.control_dependencies([step.assign_add(1)]):
                work = producer.dequeue()
            taken = []
            hooks = [tf.train.StopAtStepHook(num_steps=steps)]
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), hooks=hooks) as session:
                while not session.should_stop():
                    taken.append(int(session.run(work)))
            return taken

    assert train(4) == [0, 1, 2, 3]
    assert train(100) == [3, 4, 5, 6, 7, 8]  # 3 was not done
    assert train(100) == []


def test_summary():
    queue = WorkQueue(["a", "b"], name="files")
    queue.add_summary()
    merged = tf.summary.merge_all()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(queue.take())
        summary = tf.Summary.FromString(session.run(merged))
    assert [(value.tag, value.simple_value) for value in summary.value] == [("files/size", 1.0)]


def test_wrong_arguments():
    for message, arguments in [("requires works", {"works": []}), ("num_epochs must be > 0", {"works": ["a"], "num_epochs": 0}),
                               ("num_slices must be > 0", {"works": ["a"], "num_slices": 0}),
                               ("at least the number of works", {"works": ["a", "b"], "num_slices": 1}),
                               ("must be a vector", {"works": "a"})]:
        with pytest.raises(ValueError, match=message):
            WorkQueue(**arguments)


def test_is_placed_on_a_parameter_server():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:3")):
        queue = WorkQueue(["a"])
        work = queue.take()
        producer = queue.input_producer()
    assert queue.op.device == "/job:ps/task:0"
    assert producer.queue_ref.device.startswith("/job:worker/task:3")
    on_ps = {op.type for op in tf.get_default_graph().get_operations() if "/job:ps/task:0" in op.device
             or b"loc:@work_queue" in op.colocation_groups()}
    assert {"WorkQueueCreate", "WorkQueueTake", "WorkQueueSave", "VariableV2"} <= on_ps
    assert work.op.type == "WorkQueueTake"
