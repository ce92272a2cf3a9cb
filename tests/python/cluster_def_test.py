"""Tests sessions with their own cluster (ConfigProto.cluster_def) on servers that were started without a common
cluster."""
import pytest

import weir as tf

TIMEOUT_MS = 20_000


@pytest.fixture
def servers():
    """Yields three servers, each started as the only task of job 'local'."""
    started = [tf.train.Server.create_local_server() for _ in range(3)]
    yield started
    for server in started:
        server.stop()


def address(server):
    return server.target.removeprefix("grpc://")


def config(**jobs):
    """Returns a ConfigProto with this cluster: config(ps={0: address}, ...)."""
    proto = tf.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS)
    for name, tasks in jobs.items():
        job = proto.cluster_def.job.add(name=name)
        for index, where in tasks.items():
            job.tasks[index] = where
    return proto


def doubled_on(device):
    with tf.device(device):
        x = tf.constant(17) + tf.constant(1)
    return x * 2


def test_servers_get_their_names_from_the_session(servers):
    spread = config(ps={0: address(servers[1])}, worker={0: address(servers[0]), 3: address(servers[2])})
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(2.0)
    with tf.device("/job:worker/task:3"):
        w = v * 10.0
    i, total = tf.while_loop(lambda i, total: i < 4, lambda i, total: (i + 1, total + w), [0, 1.0])
    with tf.Session(servers[0].target, config=spread) as session:
        session.run(v.initializer)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert session.run([v + 1.0, w, total], options=options, run_metadata=metadata) == [3.0, 20.0, 81.0]
        names = ["/job:worker/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:0",
                 "/job:worker/replica:0/task:3/device:CPU:0"]
        assert [device.name for device in session.list_devices()] == names
        assert {stats.device for stats in metadata.step_stats.dev_stats} == set(names)


def test_one_server_has_different_names_in_different_sessions(servers):
    one, other = address(servers[0]), address(servers[1])
    first = tf.Session(servers[0].target, config=config(worker={0: one, 1: other}))
    second = tf.Session(servers[1].target, config=config(worker={0: other}, ps={0: one}))
    plain = tf.Session(servers[0].target)
    on_worker1, on_ps, on_local = (doubled_on(d) for d in ("/job:worker/task:1", "/job:ps/task:0", "/job:local/task:0"))
    for _ in range(2):  # no session closes what another one has opened
        assert first.run(on_worker1) == second.run(on_ps) == plain.run(on_local) == 36
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)/job:local/task:0.*/job:worker/replica:0/task:1"):
        first.run(on_local)


def test_masters_with_the_same_name_do_not_interfere(servers):
    """Both masters are named worker/0 and use the same ps."""
    sessions = [tf.Session(server.target, config=config(ps={0: address(servers[2])}, worker={0: address(server)}))
                for server in servers[:2]]
    y = doubled_on("/job:ps/task:0")
    for session in sessions * 2:
        assert session.run(y) == 36


def test_the_state_of_such_a_session_is_isolated(servers):
    """As in TensorFlow, isolate_session_state is always on."""
    own = config(worker={0: address(servers[0])})
    v = tf.Variable(1.0)
    with tf.Session(servers[0].target, config=own) as session:
        session.run(v.initializer)
        assert session.run(v) == 1.0
    for again in (own, None):
        with tf.Session(servers[0].target, config=again) as session:
            with pytest.raises(tf.errors.FailedPreconditionError):
                session.run(v)


def test_a_server_of_a_cluster_can_join_a_larger_one(servers):
    spec = {"worker": [address(servers[0])]}
    servers[0].stop()
    worker = tf.train.Server(spec, job_name="worker", task_index=0)
    larger = config(worker={0: address(worker), 1: address(servers[1])})
    with tf.Session(worker.target, config=larger) as session:
        assert session.run(doubled_on("/job:worker/task:1")) == 36
    with tf.Session(worker.target) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="/job:worker/task:1"):
            session.run(doubled_on("/job:worker/task:1"))
    worker.stop()


@pytest.mark.parametrize("jobs, parts", [
    (lambda own, other: dict(worker={0: other}), ["cluster_def", "/job:local/replica:0/task:0", "OWN", "OTHER"]),
    (lambda own, other: dict(worker={0: own, 1: own}), ["cluster_def", "same address", "OWN"]),
    (lambda own, other: dict(worker={0: own}, ps={0: own}), ["cluster_def", "same address", "OWN"]),
    (lambda own, other: dict(worker={0: own}, ps={0: "nonsense"}), ["cluster_def", "job 'ps'", "nonsense", "port"]),
    (lambda own, other: dict(worker={0: own, -1: other}), ["cluster_def", "-1", "negative"]),
    (lambda own, other: {"worker": {0: own}, "a b": {0: other}}, ["cluster_def", "a b"])])
def test_invalid_clusters(servers, jobs, parts):
    own, other = address(servers[0]), address(servers[1])
    with tf.Session(servers[0].target, config=config(**jobs(own, other))) as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(tf.constant(1))
    for part in parts:
        assert {"OWN": own, "OTHER": other}.get(part, part) in str(caught.value)


def test_a_duplicate_job(servers):
    twice = config(worker={0: address(servers[0])})
    twice.cluster_def.job.add(name="worker").tasks[1] = address(servers[1])
    with tf.Session(servers[0].target, config=twice) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)cluster_def.*worker"):
            session.run(tf.constant(1))


def test_an_empty_cluster_is_ignored(servers):
    empty = tf.ConfigProto(cluster_def=tf.train.ClusterDef())
    with tf.Session(servers[0].target, config=empty) as session:
        assert session.run(doubled_on("/job:local/task:0")) == 36


def test_waits_for_a_task_that_is_not_up(servers):
    servers[1].stop()
    incomplete = config(worker={0: address(servers[0]), 1: address(servers[1])})
    with tf.Session(servers[0].target, config=incomplete) as session:
        assert session.run(doubled_on("/job:worker/task:0")) == 36
        with pytest.raises((tf.errors.DeadlineExceededError, tf.errors.UnavailableError)):
            session.run(doubled_on("/job:worker/task:1"), options=tf.RunOptions(timeout_in_ms=300))
