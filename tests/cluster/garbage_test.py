"""Sends garbage to the port of a server, which must keep serving real clients."""
import random
import socket

import pytest

import weir as tf
from processes import PATIENCE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def noise(seed, size):
    return random.Random(seed).randbytes(size)


KNOCKS = {
    "nothing": b"",
    "a byte": b"\x00",
    "random bytes": noise(1, 10_000),
    "another protocol": b"GET / HTTP/1.1\r\nHost: weir\r\n\r\n",
    "half a preface": PREFACE[:11],
    "a preface": PREFACE,
    "a preface and noise": PREFACE + noise(2, 10_000),
    "settings and noise": PREFACE + SETTINGS + noise(3, 10_000),
    "a frame that is too long": PREFACE + SETTINGS + b"\xff\xff\xff\x01\x04\x00\x00\x00\x01",
    "headers that are none": PREFACE + SETTINGS + frame(1, 4, 1, noise(4, 200)),
    "data of no stream": PREFACE + SETTINGS + frame(0, 1, 1, b"data"),
    "an update of nothing": PREFACE + SETTINGS + frame(8, 0, 0, b"\x00\x00\x00\x00"),
    "many resets": PREFACE + SETTINGS + b"".join(frame(3, 0, 2 * i + 1, b"\0\0\0\x08") for i in range(1000)),
    "many pings": PREFACE + SETTINGS + frame(6, 0, 0, b"12345678") * 1000,
}


@pytest.fixture
def server():
    made = tf.train.Server.create_local_server()
    yield made
    made.stop()


def connect(server):
    # Not "localhost": a bare machine has no /etc/hosts, and Python asks the resolver.
    port = server.target.rsplit(":", 1)[1]
    return socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE)


def check(server):
    # Under another name than the target, because a session on the target itself would use no socket.
    target = server.target.replace("localhost", "127.0.0.1")
    with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000)) as session:
        assert session.run(tf.constant(3) * 5) == 15


def test_garbage_does_not_stop_the_server(server):
    check(server)
    for knock in KNOCKS.values():
        for leave in (True, False):
            with connect(server) as s:
                try:
                    s.sendall(knock)
                    if leave:
                        s.shutdown(socket.SHUT_WR)
                        s.settimeout(0.2)
                        while s.recv(65536):
                            pass
                except OSError:
                    pass  # it may disconnect, or wait for more
                check(server)


def test_connections_that_are_left_open(server):
    idle = [connect(server) for _ in range(200)]
    try:
        for i, s in enumerate(idle):
            s.sendall(list(KNOCKS.values())[i % len(KNOCKS)][:3000])
        for _ in range(5):
            check(server)
    finally:
        for s in idle:
            s.close()
    check(server)
    server.stop()  # ends in spite of the open connections
