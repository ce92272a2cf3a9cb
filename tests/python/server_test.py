"""Tests servers and sessions on them, all in this process."""
import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import weir as tf
from free_addresses import free_cluster


@pytest.fixture
def cluster():
    """Starts ps/0, worker/0 and worker/1; yields {name: server}."""
    spec = tf.train.ClusterSpec(free_cluster(ps=1, worker=2))
    servers = {f"{job}{task}": tf.train.Server(spec, job_name=job, task_index=task)
               for job, task in (("ps", 0), ("worker", 0), ("worker", 1))}
    yield servers
    for server in servers.values():
        server.stop()


def test_a_local_server_equals_a_local_session():
    server = tf.train.Server.create_local_server()
    assert server.target.startswith("grpc://localhost:")
    assert server.server_def.job_name == "local" and server.server_def.protocol == "grpc"
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([1.0, 2.0])
    y = v * x
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(y, {x: [3, 4]}), [3, 8])
        assert session.run({"b": [tf.constant("text")]}) == {"b": [b"text"]}
        assert [device.name for device in session.list_devices()] == ["/job:local/replica:0/task:0/device:CPU:0"]
        assert y.eval({x: [1, 1]}).tolist() == [1, 2]
        assert session.make_callable(y, [x])(np.array([5, 5], np.float32)).tolist() == [5, 10]
    server.stop()


def test_the_graph_may_grow_between_steps():
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        total = tf.constant(0)
        for i in range(5):
            total = total + i
            assert session.run(total) == sum(range(i + 1))


def test_variables_are_shared_by_name_and_outlive_sessions(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="shared")
    add = tf.assign_add(v, 1.0)
    with tf.Session(cluster["worker0"].target) as first:
        first.run(v.initializer)
        first.run(add)
    with tf.Session(cluster["worker1"].target) as second:
        assert second.run(v) == 2.0
    with tf.Session(cluster["worker1"].target, config=tf.ConfigProto(isolate_session_state=True)) as alone:
        with pytest.raises(tf.errors.FailedPreconditionError):
            alone.run(v)
        alone.run(v.initializer)
        assert alone.run(v) == 1.0
    with tf.Session(cluster["worker0"].target) as third:
        assert third.run(v) == 2.0


def test_reset_empties_containers_and_ends_sessions(cluster):
    with tf.device("/job:ps/task:0"):
        kept = tf.Variable(1.0, name="kept")
        with tf.container("mine"):
            gone = tf.Variable(2.0, name="gone")
    session = tf.Session(cluster["worker0"].target)
    session.run([kept.initializer, gone.initializer])
    tf.Session.reset(cluster["worker0"].target, ["mine"])
    with pytest.raises(tf.errors.AbortedError):
        session.run(kept)
    with tf.Session(cluster["worker0"].target) as fresh:
        assert fresh.run(kept) == 1.0
        with pytest.raises(tf.errors.FailedPreconditionError):
            fresh.run(gone)


def test_reset_asks_only_the_tasks_that_filters_leave(cluster):
    cluster["ps0"].stop()
    with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0"):
        tf.Session.reset(cluster["worker0"].target)
    tf.Session.reset(cluster["worker0"].target, config=tf.ConfigProto(device_filters=["/job:worker"]))


def test_unplaced_nodes_run_where_the_session_is(cluster):
    meta = tf.RunMetadata()
    with tf.device("/job:ps"):
        a = tf.Variable(1.0)
    with tf.device("/job:worker"):
        b = a + 1.0
    c = b * 2.0
    with tf.Session(cluster["worker1"].target) as session:
        session.run(a.initializer)
        assert session.run(c, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True),
                           run_metadata=meta) == 4.0
    where = {stats.node_name: device.device for device in meta.step_stats.dev_stats for stats in device.node_stats}
    assert where[c.op.name] == where[b.op.name] == "/job:worker/replica:0/task:1/device:CPU:0"
    assert where[a.op.name] == "/job:ps/replica:0/task:0/device:CPU:0"
    assert len(meta.partition_graphs) == 2


def test_workers_run_elementwise_nodes_as_one(cluster):
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        scaled = tf.multiply(x, 2.0, name="scaled")
        y = tf.tanh(tf.add(scaled, tf.ones([3]), name="sum"), name="y")
    ran = []
    for level in (tf.OptimizerOptions.L1, tf.OptimizerOptions.L0):
        config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=level)))
        with tf.Session(cluster["worker0"].target, config=config) as session:
            meta = tf.RunMetadata()
            value = session.run(y, {x: [0.0, 1.0, 2.0]}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=meta)
            ran.append((value.tobytes(), {node.name: node.op for graph in meta.partition_graphs for node in graph.node}.get("y")))
            with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes") as caught:
                session.run(y, {x: [0.0, 1.0]})
            assert caught.value.op is y.op.inputs[0].op
    assert ran[0][0] == ran[1][0]
    assert [op for _, op in ran] == ["_FusedElementwise", "Tanh"]


def test_an_error_names_op_task_and_class(cluster):
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        checked = tf.check_numerics(x, "of x", name="checked")
    with tf.Session(cluster["worker0"].target) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)/job:ps/replica:0/task:0.*of x.*checked") as caught:
            session.run(checked + 1.0, {x: [np.nan]})
        assert caught.value.op is checked.op
        assert session.run(checked, {x: [1.0]}).tolist() == [1.0]


@pytest.mark.parametrize("device", ["/job:worker/task:9", "/job:nobody", "/job:ps/task:0/gpu:0", "/gpu:0"])
def test_a_missing_device(cluster, device):
    with tf.device(device):
        c = tf.constant(1.0, name="lost")
    with tf.Session(cluster["worker0"].target) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)lost.*/job:ps/replica:0/task:0/device:CPU:0"):
            session.run(c)
    soft = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(cluster["worker0"].target, config=soft) as session:
        if "gpu" in device:
            assert session.run(c) == 1.0
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(c)


def test_device_filters_hide_tasks(cluster):
    with tf.device("/job:worker/task:1"):
        c = tf.constant(1.0)
    hidden = tf.ConfigProto(device_filters=["/job:ps"])
    with tf.Session(cluster["worker0"].target, config=hidden) as session:
        assert sorted(d.name[:9] for d in session.list_devices()) == ["/job:ps/r", "/job:work"]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(c)


def test_a_timeout_ends_the_step_everywhere(cluster):
    with tf.device("/job:ps/task:0"):
        forever = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [tf.constant(0)])
    with tf.Session(cluster["worker0"].target) as session:
        started = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(forever, options=tf.RunOptions(timeout_in_ms=200))
        assert time.monotonic() - started < 5
        assert session.run(tf.constant(3)) == 3


def test_a_timeout_names_the_awaited_node(cluster):
    for job in ("worker", "ps"):
        with tf.device(f"/job:{job}/task:0"):
            element = tf.FIFOQueue(3, tf.int32).dequeue()
        with tf.Session(cluster["worker0"].target) as session:
            with pytest.raises(tf.errors.DeadlineExceededError, match=f"/job:{job}/replica:0/task:0") as raised:
                session.run(element, options=tf.RunOptions(timeout_in_ms=100))
            # The master knows the waiting node only on its own task. Of another task it only knows that it has not
            # answered.
            assert raised.value.op is (element.op if job == "worker" else None)


def test_a_timeout_names_only_tasks_that_have_not_answered(cluster):
    with tf.device("/job:ps/task:0"):
        element = tf.FIFOQueue(3, tf.int32).dequeue()
    with tf.device("/job:worker/task:0"):
        there = tf.constant(2) * tf.placeholder_with_default(3, [])
    with tf.Session(cluster["worker0"].target) as session:
        session.run(there)
        for milliseconds in (100, 1000, 10000):  # long enough for the worker's part to finish in one of them
            with pytest.raises(tf.errors.DeadlineExceededError) as raised:
                session.run([element, there], options=tf.RunOptions(timeout_in_ms=milliseconds))
            named = raised.value.message.partition("still runs on")[2]
            if "/job:ps" in named and "/job:worker" not in named:
                break
        assert "/job:ps/replica:0/task:0" in named and "/job:worker" not in named


def test_a_timeout_names_the_missing_server():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # reserves the port without listening
        target = f"grpc://localhost:{taken.getsockname()[1]}"
        config = tf.ConfigProto(operation_timeout_in_ms=100)
        with tf.Session(target, config=config) as session, pytest.raises(tf.errors.DeadlineExceededError) as raised:
            session.run(tf.constant(1))
    assert raised.value.message == f"CreateSession: no answer from the server at {target} within 100 ms"


def test_a_session_says_which_server_it_waits_for():
    [address] = free_cluster(ps=1)["ps"]
    body = f"""
import weir as tf
with tf.Session("grpc://{address}", config=tf.ConfigProto(operation_timeout_in_ms=1300)) as session:
    session.run(tf.constant(1))
"""
    result = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, timeout=60)
    assert f"still waiting for response from the server at grpc://{address}" in result.stderr
    assert "DeadlineExceededError" in result.stderr and f"no answer from the server at grpc://{address}" in result.stderr


def test_closing_a_session_ends_its_steps(cluster):
    with tf.device("/job:ps/task:0"):
        forever = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [tf.constant(0)])
    session = tf.Session(cluster["worker0"].target)
    session.run(tf.constant(1))
    threading.Timer(0.2, session.close).start()
    with pytest.raises(tf.errors.CancelledError):
        session.run(forever)
    with pytest.raises(RuntimeError, match="closed"):
        session.run(tf.constant(1))


def test_python_functions_run_in_the_process_of_the_server(cluster):
    with tf.device("/job:worker/task:1"):
        doubled = tf.py_func(lambda x: 2 * x, [tf.constant([1.0, 2.0])], tf.float32)
    with tf.Session(cluster["worker0"].target) as session:
        assert session.run(doubled).tolist() == [2.0, 4.0]


def test_a_step_in_pieces(cluster):
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.device("/job:ps/task:0"):
        c = a + 1.0
    d = c * b
    with tf.Session(cluster["worker0"].target) as session:
        handle = session.partial_run_setup([c, d], [a, b])
        assert session.partial_run(handle, c, {a: 1.0}) == 2.0
        assert session.partial_run(handle, d, {b: 5.0}) == 10.0


def test_gradients_through_a_loop_over_two_tasks(cluster):
    x = tf.placeholder(tf.float32, [])
    def body(i, y):
        with tf.device("/job:ps/task:0"):
            return i + 1, y * x
    with tf.device("/job:worker/task:1"):
        _, power = tf.while_loop(lambda i, y: i < 4, body, [0, tf.constant(1.0)])
    slope, = tf.gradients(power, x)
    with tf.Session(cluster["worker0"].target) as session:
        assert session.run([power, slope], {x: 3.0}) == [81.0, 108.0]


def test_random_numbers_go_on_from_step_to_step(cluster):
    with tf.device("/job:ps/task:0"):
        r = tf.random_uniform([3], seed=7)
    with tf.Session(cluster["worker0"].target) as session:
        first, second = session.run(r), session.run([r, tf.constant(0)])[0]
        third = session.run(r)
    assert len({tuple(first), tuple(second), tuple(third)}) == 3


def test_many_threads_and_sessions_at_once(cluster):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(0, dtype=tf.int64, name="count")
    add = tf.assign_add(v, 1, use_locking=True)
    sessions = [tf.Session(cluster[name].target) for name in ("worker0", "worker1", "ps0")]
    sessions[0].run(v.initializer)
    failures = []
    def work(session):
        try:
            for _ in range(50):
                session.run(add.op)
        except Exception as error:  # noqa: BLE001
            failures.append(error)
    threads = [threading.Thread(target=work, args=(s,)) for s in sessions for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sessions[1].run(v) == 300


def test_a_stopped_server_releases_its_port():
    server = tf.train.Server.create_local_server()
    address = server.target[len("grpc://"):]
    with pytest.raises(tf.errors.UnknownError, match=address.rpartition(":")[2]):
        tf.train.Server({"local": [address]})
    server.stop()
    server.stop()
    again = tf.train.Server({"local": [address]})
    with tf.Session(again.target) as session:
        assert session.run(tf.constant(1)) == 1
    again.stop()


def test_a_stopped_server_ends_the_steps_of_its_sessions():
    server = tf.train.Server.create_local_server()
    forever = tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [tf.constant(0)])
    session = tf.Session(server.target)
    threading.Timer(0.2, server.stop).start()
    with pytest.raises((tf.errors.UnavailableError, tf.errors.CancelledError, tf.errors.AbortedError)):
        session.run(forever)
    session.close()


def test_a_server_that_is_not_started_yet():
    server = tf.train.Server({"local": ["localhost:0"]}, start=False)
    c = tf.constant(4)
    session = tf.Session(server.target)
    threading.Timer(0.2, server.start).start()
    assert session.run(c) == 4
    server.stop()


@pytest.mark.parametrize("arguments, message", [
    (dict(job_name="nobody"), "nobody"), (dict(job_name="worker", task_index=7), "7"), (dict(), "job_name"),
    (dict(job_name="worker"), "task_index"), (dict(job_name="ps", protocol="smoke"), "smoke")])
def test_arguments_that_match_no_cluster(arguments, message):
    spec = {"ps": ["localhost:0"], "worker": ["localhost:10001", "localhost:10002"]}
    with pytest.raises((ValueError, tf.errors.OpError), match=message):
        tf.train.Server(spec, **arguments)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-host-of-ours.invalid"])
def test_a_task_listens_where_bind_address_says(monkeypatch, host):
    """As behind a Kubernetes service, where the address of the task is not an address of its machine."""
    reserved = tf.train.Server.create_local_server()
    port = reserved.target.split(":")[-1]
    reserved.stop()
    spec = {"local": [f"{host}:{port}"]}
    monkeypatch.delenv("WEIR_BIND_ADDRESS", raising=False)
    with pytest.raises(tf.errors.UnknownError, match=f"(?s){host}:{port}.*bind_address.*WEIR_BIND_ADDRESS"):
        tf.train.Server(spec)

    def check(server):
        assert server.target == f"grpc://{host}:{port}"
        for target in (f"grpc://127.0.0.1:{port}", server.target):  # over a socket, and directly in this process
            with tf.Session(target) as session:
                assert session.run(tf.constant(3) + 4) == 7
        server.stop()

    check(tf.train.Server(spec, bind_address="127.0.0.1"))
    check(tf.train.Server(spec, bind_address=f"127.0.0.1:{port}"))
    monkeypatch.setenv("WEIR_BIND_ADDRESS", "127.0.0.1")
    check(tf.train.Server(spec))
    monkeypatch.setenv("WEIR_BIND_ADDRESS", "192.0.2.7")
    check(tf.train.Server(spec, bind_address="127.0.0.1"))  # the argument overrides the environment
    with pytest.raises(tf.errors.UnknownError, match="192.0.2.7"):
        tf.train.Server(spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bind address.*two words"):
        tf.train.Server(spec, bind_address="two words")


@pytest.mark.parametrize("seconds, right", [("0", True), ("100000.5", True), ("-1", False), ("soon", False), ("", False), ("nan", False)])
def test_the_limit_for_unused_sessions_is_in_seconds(monkeypatch, seconds, right):
    monkeypatch.setenv("WEIR_UNCLAIMED_SESSION_SECONDS", seconds)
    if not right:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"WEIR_UNCLAIMED_SESSION_SECONDS.*'{seconds}'"):
            tf.train.Server.create_local_server()
        return
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        assert session.run(tf.constant(7)) == 7
    server.stop()


@pytest.mark.parametrize("target", ["local", "http://localhost:1", "grpc://", "grpc://nowhere"])
def test_invalid_targets(target):
    with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError), match=target):
        tf.Session(target)


def test_the_job_and_the_task_may_be_left_out_where_there_is_one():
    server = tf.train.Server({"ps": {3: "localhost:0"}}, start=False)
    assert (server.server_def.job_name, server.server_def.task_index, server.server_def.protocol) == ("ps", 3, "grpc")
    with pytest.raises(ValueError, match="`job_name` when the cluster has several jobs: ps, worker"):
        tf.train.Server({"ps": ["localhost:0"], "worker": ["localhost:0"]}, start=False)
    with pytest.raises(ValueError, match="`task_index` when job 'ps' has 2 tasks"):
        tf.train.Server({"ps": ["localhost:1", "localhost:2"]}, start=False)
    with pytest.raises(ValueError, match="chief"):
        tf.train.Server({"ps": ["localhost:0"]}, job_name="chief", start=False)


def test_arguments_change_a_server_def_and_its_configuration():
    given = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"ps": ["localhost:0"], "worker": ["localhost:1"]}).as_cluster_def(),
                               job_name="worker", task_index=0, protocol="grpc",
                               default_session_config=tf.ConfigProto(inter_op_parallelism_threads=3))
    made = tf.train.Server(given, job_name="ps", config=tf.ConfigProto(log_device_placement=True), start=False).server_def
    assert (made.job_name, made.task_index, len(made.cluster.job)) == ("ps", 0, 2)
    assert (made.default_session_config.inter_op_parallelism_threads, made.default_session_config.log_device_placement) == (3, True)
    assert given.job_name == "worker"
    with pytest.raises(TypeError, match="ConfigProto"):
        tf.train.Server(given, config={"log_device_placement": True}, start=False)


def test_a_process_that_only_serves_loads_no_python_messages():
    program = ("import sys, weir as tf; tf.train.Server(tf.train.ClusterSpec({'ps': ['localhost:0']}), job_name='ps', task_index=0); "
               "print(sorted(name for name in sys.modules if name.startswith('google.')))")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_report_of_a_plan_tells_the_whole_from_a_part():
    program = """
import weir as tf
server = tf.train.Server.create_local_server()
y = tf.square(tf.placeholder(tf.float32, [], name="x"), name="y")
with tf.Session(server.target) as session:
    print(session.run(y, {"x:0": 3.0}))
"""
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ, "WEIR_EXPLAIN": "1"}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=60, check=True)
    titles = [line.split(":0: ")[0] for line in ended.stderr.splitlines() if "after the passes" in line]
    assert titles == ["plan for y", "part of /job:local/replica:0/task:0 for y"], ended.stderr
