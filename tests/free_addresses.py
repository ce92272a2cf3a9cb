"""Free addresses for the servers of a test. The ports are not reserved, so use them soon."""
import socket


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]  # all open at the same time, so that the ports differ
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    addresses = [f"localhost:{s.getsockname()[1]}" for s in sockets]
    for s in sockets:
        s.close()
    return addresses


def free_cluster(**counts):
    """Returns addresses for that many tasks of each job: free_cluster(ps=1, worker=2)."""
    addresses = iter(free_addresses(sum(counts.values())))
    return {job: [next(addresses) for _ in range(count)] for job, count in counts.items()}
