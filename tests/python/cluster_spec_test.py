"""Tests tf.train.ClusterSpec."""
import copy
import pickle

import numpy as np
import pytest

import weir as tf

C = tf.train.ClusterSpec
JOBS = {"ps": ["a:1", "b:2"], "worker": {2: "c:3", 0: "d:4"}, "idle": []}


def test_accessors():
    c = C(JOBS)
    assert sorted(c.jobs) == ["idle", "ps", "worker"]
    assert [c.num_tasks(job) for job in ("ps", "worker", "idle")] == [2, 2, 0]
    assert [c.task_indices(job) for job in ("ps", "worker", "idle")] == [[0, 1], [0, 2], []]
    assert [c.job_tasks(job) for job in ("ps", "worker", "idle")] == [["a:1", "b:2"], ["d:4", None, "c:3"], []]
    assert c.task_address("worker", 2) == "c:3" and c.task_address(job_name="ps", task_index=np.int64(1)) == "b:2"
    assert c.as_dict() == {"ps": ["a:1", "b:2"], "worker": {0: "d:4", 2: "c:3"}, "idle": {}}
    text = "ClusterSpec({'idle': {}, 'ps': ['a:1', 'b:2'], 'worker': {0: 'd:4', 2: 'c:3'}})"
    assert repr(c) == str(c) == text and repr(C({})) == "ClusterSpec({})"


def test_made_from():
    c = C(JOBS)
    definition = c.as_cluster_def()
    assert isinstance(definition, tf.train.ClusterDef)
    assert [(job.name, dict(job.tasks)) for job in definition.job] == [
        ("idle", {}), ("ps", {0: "a:1", 1: "b:2"}), ("worker", {0: "d:4", 2: "c:3"})]
    for same in (C(c), C(definition), C(c.as_dict()), C(cluster=JOBS), copy.deepcopy(c), pickle.loads(pickle.dumps(c)),
                 C({"idle": {}, "ps": ("a:1", b"b:2"), b"worker": {"0": "d:4", np.int32(2): "c:3"}})):
        assert same == c and not same != c and same.as_dict() == c.as_dict()
    definition.job[1].tasks[0] = "z:1"
    assert c.task_address("ps", 0) == "a:1"
    for address in ("[::1]:2222", "unix:/run/weir.sock", "localhost:0", "my_host-1.example.com:65535"):
        assert C({"ps": [address]}).task_address("ps", 0) == address
    # Programs pass the parts of an empty flag, and host names without ports that are used only for placement.
    for text in ("", "ps0,ps1"):
        assert C({"ps": text.split(",")}).job_tasks("ps") == text.split(",")


def test_truth_and_equality():
    c = C(JOBS)
    assert c and c.__nonzero__() and C({"ps": []}) and not C({})
    assert c != C({}) and c != C({**JOBS, "idle": ["x:1"]}) and C({}) != C({"ps": []})
    assert C({"ps": ["a:1"]}) == {"ps": {0: "a:1"}} and C({}) == {} and C({}) != {"ps": {}}
    assert c != 3 and c != None and c != c.as_cluster_def()  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(c)


@pytest.mark.parametrize("call, message", [
    (lambda c: c.num_tasks("x"), "No such job in cluster: 'x'; it has idle, ps, worker"),
    (lambda c: c.task_indices("x"), "No such job in cluster: 'x'; it has idle, ps, worker"),
    (lambda c: c.job_tasks("x"), "No such job in cluster: 'x'; it has idle, ps, worker"),
    (lambda c: c.task_address("x", 0), "No such job in cluster: 'x'; it has idle, ps, worker"),
    (lambda c: c.num_tasks(None), "No such job in cluster: None"),
    (lambda c: c.task_address("worker", 1), "No task with index 1 in job 'worker'"),
    (lambda c: c.task_address("worker", -1), "No task with index -1 in job 'worker'"),
    (lambda c: c.task_address("worker", "0"), "No task with index '0' in job 'worker'"),
])
def test_missing_jobs_and_tasks(call, message):
    with pytest.raises(ValueError) as caught:
        call(C(JOBS))
    assert str(caught.value) == message


CLUSTER = ("`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a `ClusterDef` "
           "protocol buffer")
TASKS = "The tasks for job 'ps' must be a list or a dictionary from integers to strings."


@pytest.mark.parametrize("cluster, message", [
    (3, CLUSTER), (None, CLUSTER), (["a:1"], CLUSTER), ("ps", CLUSTER), (tf.train.ServerDef(), CLUSTER),
    ({"ps": "a:1"}, TASKS), ({"ps": 3}, TASKS), ({"ps": None}, TASKS),
    ({"ps": [3]}, "Task address 3 must be bytes or unicode"),
    ({"ps": {1: None}}, "Task address None must be bytes or unicode"),
    ({3: ["a:1"]}, "Job name 3 must be bytes or unicode"),
])
def test_wrong_types(cluster, message):
    with pytest.raises(TypeError) as caught:
        C(cluster)
    assert str(caught.value) == message


@pytest.mark.parametrize("cluster, message", [
    ({"ps": {"x": "a:1"}}, "invalid literal for int"),
    ({"ps": {2**40: "a:1"}}, "Value out of range: 1099511627776"),
    ({"ps": {-1: "a:1"}}, "task -1 of job 'ps': the index of a task must not be negative"),
    ({"ps": {1: "a:1", "1": "b:1"}}, "duplicate task index 1 in job 'ps'"),
    ({"ps": ["a:1"], b"ps": ["b:1"]}, "duplicate job b'ps' in the cluster"),
    ({"1 bad": ["a:1"]}, "'1 bad' is not a job name"),
    ({"": ["a:1"]}, "'' is not a job name"),
    ({"ps": ["a:1", "localhost:99999"]}, "task 1 of job 'ps': address 'localhost:99999': the port 99999 is greater than 65535"),
    ({"ps": ["localhost:http"]}, "the port 'http' is not a number"),
    ({"ps": [":2222"]}, "the host is missing"),
    ({"ps": ["::1:2222"]}, "in brackets"),
    ({"ps": ["grpc://localhost:2222"]}, "write host:port, without 'grpc://'"),
    ({"ps": ["a:1,b:1"]}, "this is a list; every task has one address"),
    ({"ps": ["a:1"], "worker": ["a:1"]}, "task 0 of job 'ps' and task 0 of job 'worker' have the same address, a:1"),
])
def test_wrong_values(cluster, message):
    with pytest.raises(ValueError) as caught:
        C(cluster)
    assert message in str(caught.value)


def test_a_job_that_is_there_twice():
    definition = tf.train.ClusterDef()
    for address in ("a:1", "b:1"):
        definition.job.add(name="ps").tasks[0] = address
    with pytest.raises(ValueError, match="duplicate job 'ps' in the cluster"):
        C(definition)


def test_a_list_of_gaps_has_a_limit():
    c = C({"ps": {2**31 - 1: "a:1"}})
    assert c.num_tasks("ps") == 1 and c.as_dict() == {"ps": {2**31 - 1: "a:1"}}
    with pytest.raises(ValueError, match="too large for a list"):
        c.job_tasks("ps")
