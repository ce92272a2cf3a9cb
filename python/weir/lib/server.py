"""tf.train.Server: the binding's server with the names and defaults of its arguments."""
from weir import _weir


class Server(_weir.Server):
    """One task of a cluster in this process: a master for sessions on its `target`, a worker for the graphs placed on it.

    Beyond TensorFlow: stop() ends it and releases its port, and `bind_address` says where it listens when that is not the
    address that the cluster has for it (WEIR_BIND_ADDRESS in the environment says the same).
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True,
                 bind_address=""):
        super().__init__(server_or_cluster_def, job_name, task_index, protocol, config, start, bind_address)

    @staticmethod
    def create_local_server(config=None, start=True):
        """A server of a cluster of its own, on a free port of this machine."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
