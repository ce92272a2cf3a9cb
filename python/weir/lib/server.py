"""tf.train.Server: TensorFlow's argument names and defaults."""
from weir import _weir


class Server(_weir.Server):
    """One task of a cluster in this process: a master for sessions on its `target`, and a worker for the graphs placed on it.

    Extensions to TensorFlow: stop() ends the server and releases its port. `bind_address` (or WEIR_BIND_ADDRESS in the
    environment) is the address to listen on, if it differs from the task's address in the cluster. With `end_with`, a job
    or several separated by commas, join() stops the server and returns when all tasks of the job have ended. A task that
    was killed, or whose program failed with an exception, is expected to come back. `tls_cert`, `tls_key`, `tls_ca` and
    `accepted_tokens` name the files of the credentials of this process, `files` the folders whose files graphs may use
    (docs/security.md).
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True,
                 bind_address="", end_with="", tls_cert="", tls_key="", tls_ca="", accepted_tokens="", files=None):
        _weir.use_credentials(tls_cert=tls_cert, tls_key=tls_key, tls_ca=tls_ca, accepted_tokens=accepted_tokens)
        super().__init__(server_or_cluster_def, job_name, task_index, protocol, config, start, bind_address, end_with,
                         files)

    @staticmethod
    def create_local_server(config=None, start=True):
        """Creates a server in its own single-task cluster, on a free port of this machine."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
