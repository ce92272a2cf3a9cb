"""tf.distribute.cluster_resolver: where the tasks of a cluster are, from arguments or from the environment."""
import abc
import json
import os
import re

from weir import _weir


def format_master_url(master, rpc_layer=None):
    return f"{rpc_layer}://{master}" if rpc_layer else master


class ClusterResolver(abc.ABC):
    """Base class. A resolver knows the tasks of a cluster and may know its own task."""
    task_type = None
    task_id = None

    @abc.abstractmethod
    def cluster_spec(self):
        """Returns the ClusterSpec as it is now."""

    @abc.abstractmethod
    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """Returns the address of a task for tf.Session; "" if there is no cluster."""

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """Returns the number of accelerators of a task, by type."""
        from weir._names import find
        with find("Session")(self.master(task_type, task_id), graph=find("Graph")(), config=config_proto) as session:
            devices = session.list_devices()
        pattern = f"/job:{task_type}/" + (f".*/task:{task_id}/" if task_id is not None else "") if task_type else ""
        kinds = [d.device_type for d in devices if d.device_type in ("GPU", "TPU") and re.search(pattern, d.name)]
        return {kind: kinds.count(kind) for kind in set(kinds)}

    @property
    def environment(self):
        return ""


class SimpleClusterResolver(ClusterResolver):
    """The cluster, and optionally the task, that the arguments name."""

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, _weir.ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string")
        self._cluster_spec, self._master, self._environment, self._num_accelerators = cluster_spec, master, environment, num_accelerators
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer

    def cluster_spec(self):
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            return format_master_url(self._cluster_spec.task_address(task_type, task_id), rpc_layer or self.rpc_layer)
        return format_master_url(self._master, rpc_layer or self.rpc_layer)

    @property
    def environment(self):
        return self._environment

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._num_accelerators or {}


class UnionResolver(ClusterResolver):
    """The tasks of several clusters. Jobs of the same name are joined; the first resolver knows the master and the task."""

    def __init__(self, *args, **kwargs):
        self._rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type, self._task_id = kwargs.pop("task_type", None), kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {sorted(kwargs)}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        for one in args:
            if not isinstance(one, ClusterResolver):
                raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._cluster_resolvers = args

    @property
    def task_type(self):
        return self._task_type or self._cluster_resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        return self._task_id if self._task_id is not None else self._cluster_resolvers[0].task_id

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        return self._rpc_layer or self._cluster_resolvers[0].rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer

    def cluster_spec(self):
        specs = [resolver.cluster_spec() for resolver in self._cluster_resolvers]
        merged = {}
        for job in dict.fromkeys(job for spec in specs for job in spec.jobs):
            of_job = [spec.as_dict()[job] for spec in specs if job in spec.jobs]
            if all(isinstance(tasks, list) for tasks in of_job):
                merged[job] = [address for tasks in of_job for address in tasks]
                continue
            merged[job] = {}
            for tasks in of_job:
                for index, address in (enumerate(tasks) if isinstance(tasks, list) else tasks.items()):
                    if index in merged[job]:
                        raise KeyError("Duplicate keys detected when merging two ClusterSpecs: " + repr(index))
                    merged[job][index] = address
        return _weir.ClusterSpec(merged)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            return format_master_url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        return self._cluster_resolvers[0].master(rpc_layer=rpc_layer or self._rpc_layer)

    @property
    def environment(self):
        return self._cluster_resolvers[0].environment

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return self._cluster_resolvers[0].num_accelerators(task_type, task_id, config_proto)


class TFConfigClusterResolver(ClusterResolver):
    """The cluster and the task of the environment variable TF_CONFIG."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._task_type, self._task_id, self._rpc_layer, self._environment = task_type, task_id, rpc_layer, environment

    @staticmethod
    def _config():
        return json.loads(os.environ.get("TF_CONFIG") or "{}")

    @property
    def task_type(self):
        if self._task_type is not None:
            return self._task_type
        kind = self._config().get("task", {}).get("type")
        return None if kind is None else str(kind)

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        if self._task_id is not None:
            return self._task_id
        index = self._config().get("task", {}).get("index")
        return None if index is None else int(index)

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        return self._rpc_layer if self._rpc_layer is not None else self._config().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer

    @property
    def environment(self):
        return self._environment

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return super().num_accelerators(self.task_type if task_type is None else task_type, self.task_id if task_id is None else task_id,
                                        config_proto)

    def cluster_spec(self):
        return _weir.ClusterSpec(self._config().get("cluster", {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        session_master = self._config().get("session_master")
        if session_master is not None:
            return session_master
        spec = self.cluster_spec()
        if not spec.jobs or len(spec.jobs) == 1 and len(spec.job_tasks(spec.jobs[0])) == 1:
            return ""  # one task or none: no need for a server
        task_type = task_type if task_type is not None else self.task_type
        task_id = task_id if task_id is not None else self.task_id
        return format_master_url(spec.task_address(task_type, task_id or 0), rpc_layer or self.rpc_layer)


# --- Slurm ---
def expand_hostlist(hostlist):
    """Returns the hosts of a list in Slurm's notation: "n[1-3,5],m" is n1, n2, n3, n5 and m."""
    hosts = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hostlist):
        names = [""]
        for text, ranges in re.findall(r"([^\[]+)|\[([^\]]*)\]", item):
            names = [name + part for name in names for part in ([text] if text else _numbers(ranges))]
        hosts += names
    return hosts


def _numbers(ranges):
    numbers = []
    for one in ranges.split(","):
        first, dash, last = one.partition("-")
        numbers += [f"{n:0{len(first)}d}" for n in range(int(first), int(last) + 1)] if dash else [first]
    return numbers


def expand_tasks_per_node(tasks_per_node):
    """Expands "2(x3),1" to 2, 2, 2, 1."""
    counts = []
    for one in tasks_per_node.split(","):
        count, _, times = one.partition("(x")
        counts += [int(count)] * int(times.rstrip(")") or 1)
    return counts


class SlurmClusterResolver(ClusterResolver):
    """The tasks of a Slurm step: jobs take its tasks in order, tasks_per_node on each host."""

    def __init__(self, jobs=None, port_base=8888, gpus_per_node=1, gpus_per_task=1, tasks_per_node=None, auto_set_gpu=True,
                 rpc_layer="grpc"):
        environment = os.environ
        self._rank = self._variable("PROCID")
        self._hosts = expand_hostlist(environment["SLURM_STEP_NODELIST"])
        self._jobs = {"worker": self._variable("STEP_NUM_TASKS")} if jobs is None else jobs
        self._port_base, self.rpc_layer = port_base, rpc_layer
        counts = tasks_per_node if tasks_per_node is not None else environment.get("SLURM_STEP_TASKS_PER_NODE")
        if counts is None:
            raise RuntimeError("Neither `tasks_per_node` nor the environment variable `SLURM_STEP_TASKS_PER_NODE` is set.")
        counts = expand_tasks_per_node(counts) if isinstance(counts, str) else [counts] * len(self._hosts) if isinstance(counts, int) else counts
        self._tasks_per_host = dict(zip(self._hosts, counts))
        self._gpus_per_task = gpus_per_task
        if sum(self._jobs.values()) != sum(counts):
            raise RuntimeError(f"The jobs have {sum(self._jobs.values())} tasks, but Slurm started {sum(counts)}.")
        self._auto_set_gpu, self._cluster_allocation = auto_set_gpu, {}

    @staticmethod
    def _variable(name):
        value = os.environ.get(f"SLURM_{name}")
        if value is None:
            raise RuntimeError(f"{name} not found in environment")
        return int(value)

    def cluster_spec(self):
        addresses = [f"{host}:{self._port_base + i}" for host in sorted(self._hosts) for i in range(self._tasks_per_host[host])]
        rank = 0
        for job, count in self._jobs.items():
            self._cluster_allocation[job] = addresses[rank:rank + count]
            if rank <= self._rank < rank + count:
                self.task_type, self.task_id = job, self._rank - rank
            rank += count
        return _weir.ClusterSpec(self._cluster_allocation)

    def get_task_info(self):
        """Returns the job and the index of this task."""
        self.cluster_spec()
        return self.task_type, self.task_id

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        spec = self.cluster_spec()
        task_type = task_type if task_type is not None else self.task_type
        task_id = task_id if task_id is not None else self.task_id
        if task_type is None or task_id is None:
            return ""
        return format_master_url(spec.task_address(task_type, task_id), rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return {"GPU": self._gpus_per_task}
