"""tf.train.Server: the arguments of a server in their several forms, over the binding's server."""
from weir import _names, _weir, proto as _proto


def _server_def(server_or_cluster_def, job_name, task_index, protocol, config):
    ServerDef = _proto.message_class("ServerDef")
    server_def = ServerDef()
    if isinstance(server_or_cluster_def, ServerDef):
        server_def.MergeFrom(server_or_cluster_def)
        if job_name is not None:
            server_def.job_name = job_name
        if task_index is not None:
            server_def.task_index = task_index
        if protocol is not None:
            server_def.protocol = protocol
    else:
        cluster = _names.find("train.ClusterSpec")(server_or_cluster_def)
        if job_name is None:
            if len(cluster.jobs) != 1:
                raise ValueError("Must specify an explicit `job_name` when the cluster has several jobs: "
                                 f"{', '.join(sorted(cluster.jobs))}.")
            job_name = cluster.jobs[0]
        if task_index is None:
            indices = cluster.task_indices(job_name)
            if len(indices) != 1:
                raise ValueError(f"Must specify an explicit `task_index` when job '{job_name}' has {len(indices)} tasks.")
            task_index = indices[0]
        server_def.cluster.CopyFrom(cluster.as_cluster_def())
        server_def.job_name = job_name
        server_def.task_index = task_index
        server_def.protocol = protocol if protocol is not None else "grpc"
    if config is not None:
        server_def.default_session_config.MergeFrom(config)
    return server_def


class Server(_weir.Server):
    """One task of a cluster in this process: a master for sessions on its `target`, a worker for the graphs placed on it.

    Beyond TensorFlow: stop() ends it and releases its port, and `bind_address` says where it listens when that is not the
    address that the cluster has for it (WEIR_BIND_ADDRESS in the environment says the same).
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True,
                 bind_address=""):
        super().__init__(_server_def(server_or_cluster_def, job_name, task_index, protocol, config), start, bind_address)

    @staticmethod
    def create_local_server(config=None, start=True):
        """A server of a cluster of its own, on a free port of this machine."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
