"""Where the servers of a test can listen. Nobody keeps the ports for them: a test takes its own soon."""
import socket


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]  # there at the same time: no two addresses are the same
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    addresses = [f"localhost:{s.getsockname()[1]}" for s in sockets]
    for s in sockets:
        s.close()
    return addresses


def free_cluster(**counts):
    """free_cluster(ps=1, worker=2): the addresses of so many tasks of each job."""
    addresses = iter(free_addresses(sum(counts.values())))
    return {job: [next(addresses) for _ in range(count)] for job, count in counts.items()}
