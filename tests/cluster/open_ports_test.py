"""Tests at which addresses a server listens, and that random bytes sent to its ports neither stop it nor leak
sockets."""
import os
import random
import socket
import struct
import time

import pytest

import weir as tf
from free_addresses import free_cluster
from processes import PATIENCE, Cluster, wait_until

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, RST_STREAM, GOAWAY = 0, 1, 4, 3, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1
LISTENING = "0A"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def header(name, value):
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def call(address, method):
    """Makes a gRPC call without a message. Returns the message of the response, or None on an error."""
    host, port = address.rsplit(":", 1)
    headers = b"".join(header(*pair) for pair in [(":method", "POST"), (":scheme", "http"), (":path", method), (":authority", address),
                                                   ("content-type", "application/grpc"), ("te", "trailers")])
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as s, s.makefile("rb") as answers:
        s.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, headers) + frame(DATA, END_STREAM, 1, bytes(5)))
        message = b""
        while True:
            head = answers.read(9)
            assert len(head) == 9, "the server has hung up"
            kind, flags = head[3], head[4]
            payload = answers.read(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & ACK:
                s.sendall(frame(SETTINGS, ACK, 0))
            elif kind == DATA:
                message += payload
            if kind in (RST_STREAM, GOAWAY) or (kind in (DATA, HEADERS) and flags & END_STREAM):
                return message[5:].decode() if len(message) >= 5 else None


def socket_inodes(pid):
    links = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError:
            pass  # closed meanwhile
    return {link[len("socket:["):-1] for link in links if link.startswith("socket:[")}


def tcp_listeners(pid):
    """The (IP address, port) pairs at which a process listens."""
    inodes, found = socket_inodes(pid), set()
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        with open(f"/proc/{pid}/net/{table}") as lines:
            for fields in map(str.split, list(lines)[1:]):
                if fields[3] != LISTENING or fields[9] not in inodes:
                    continue
                address, port = fields[1].split(":")
                packed = b"".join(struct.pack("=I", int(address[i:i + 8], 16)) for i in range(0, len(address), 8))
                found.add((socket.inet_ntop(family, packed).removeprefix("::ffff:"), int(port, 16)))
    return found


def unix_listeners(pid):
    """The names of listening Unix sockets; those that begin with @ are abstract."""
    accepts = 1 << 16  # flag of a listening socket
    with open(f"/proc/{pid}/net/unix") as lines:
        rows = [line.split() for line in list(lines)[1:]]
    inodes = socket_inodes(pid)
    return {row[7] for row in rows if len(row) > 7 and row[6] in inodes and int(row[3], 16) & accepts}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.fixture
def serve(monkeypatch):
    clusters = []

    def start(transport):
        monkeypatch.setenv("WEIR_TRANSPORT", transport)
        addresses = {job: [a.replace("localhost", "127.0.0.1") for a in tasks] for job, tasks in free_cluster(worker=1).items()}
        clusters.append(Cluster(**addresses))
        return clusters[-1], addresses["worker"][0], clusters[-1].running["worker0"].pid

    yield start
    for cluster in clusters:
        cluster.__exit__()


def check(target):
    with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000)) as session:
        assert session.run(tf.constant(3) * 5) == 15


def test_ucx_ports_are_closed_unless_requested(serve):
    _, address, pid = serve("auto")
    before = tcp_listeners(pid)
    assert call(address, "/weir.Transport/Ucx") is None
    assert tcp_listeners(pid) == before == {("127.0.0.1", int(address.rsplit(":", 1)[1]))}


@pytest.mark.parametrize("transport", ["ucx", "auto+ucx"])
def test_ucx_listens_at_the_address_of_the_server_only(serve, transport):
    cluster, address, pid = serve(transport)
    invitation = call(address, "/weir.Transport/Ucx")
    if invitation is None:
        pytest.skip(f"UCX cannot be used here: {cluster.said()}")
    listeners = tcp_listeners(pid)
    assert int(invitation.split()[0]) in {port for _, port in listeners}
    assert {host for host, _ in listeners} == {"127.0.0.1"}
    check("grpc://" + address)


def test_random_bytes_leak_no_sockets(serve):
    _, address, pid = serve("auto")
    target = "grpc://" + address
    check(target)
    noise = random.Random(7)

    def knock(family, name):
        with socket.socket(family, socket.SOCK_STREAM) as s:
            s.settimeout(PATIENCE)
            s.connect(name)
            try:
                s.sendall(noise.randbytes(2500))
            except OSError:
                pass  # it may disconnect

    unix = {name for name in unix_listeners(pid) if name.startswith("@")}
    assert unix, "the short way between the tasks of a host has a socket"
    places = [(socket.AF_INET, place) for place in tcp_listeners(pid)]
    places += [(socket.AF_UNIX, "\0" + name[1:]) for name in unix]
    for place in places:
        knock(*place)  # allocates what is allocated once
    time.sleep(0.2)
    open_before = descriptors(pid)
    for place in places:
        for _ in range(20):
            knock(*place)
    wait_until(lambda: descriptors(pid) <= open_before, "the sockets of strangers are closed")
    begin = cpu_seconds(pid)
    time.sleep(2)
    assert cpu_seconds(pid) - begin < 0.2
    check(target)
