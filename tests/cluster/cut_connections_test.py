"""TCP connections that break during steps: between a client and its master, and between the master and a parameter
server. No step fails, and each is applied once."""
import random
import socket
import struct
import threading

import pytest

import weir as tf
from free_addresses import free_addresses
from processes import PATIENCE, Cluster

pytestmark = pytest.mark.slow

PS = "/job:ps/task:0"
STEPS = 120


class Relay:
    """Forwards TCP connections to a server. `lose` breaks them all when the server sends something next."""

    def __init__(self, server):
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"localhost:{self.listener.getsockname()[1]}"
        self.lock = threading.Lock()
        self.open = []
        self.armed = False
        self.cuts = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            host, port = self.server.split(":")
            try:
                server = socket.create_connection((host, int(port)))
            except OSError:
                client.close()
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.open += [client, server]
            threading.Thread(target=self.forward, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.forward, args=(server, client, True), daemon=True).start()

    def forward(self, source, to, is_response):
        try:
            while data := source.recv(1 << 16):
                if is_response and self.armed:
                    self.cut()
                    return
                to.sendall(data)
        except OSError:
            pass
        for s in (source, to):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def lose(self):
        self.armed = True

    def cut(self):
        with self.lock:
            gone, self.open, self.armed = self.open, [], False
            self.cuts += 1
        for s in gone:
            try:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close resets the connection
                s.shutdown(socket.SHUT_RDWR)
                s.close()
            except OSError:
                pass

    def close(self):
        self.listener.close()
        self.cut()


@pytest.fixture
def relays(monkeypatch):
    monkeypatch.setenv("WEIR_TRANSPORT", "grpc")  # for the tasks
    made = {name: Relay(address) for name, address in zip(("ps0", "worker0"), free_addresses(2))}
    yield made
    for relay in made.values():
        relay.close()


def test_no_update_is_lost_or_applied_twice(relays):
    listen = {name: ["env", f"WEIR_BIND_ADDRESS={relay.server}"] for name, relay in relays.items()}
    with Cluster(run_in=listen, ps=[relays["ps0"].address], worker=[relays["worker0"].address]) as cluster:
        with tf.device(PS):
            count = tf.Variable(0, name="count", dtype=tf.int64)
            queue = tf.FIFOQueue(2 * STEPS, tf.int64, shared_name="elements")
            fill = queue.enqueue_many([tf.range(tf.constant(2 * STEPS, tf.int64))])
            add, take = tf.assign_add(count, 1), queue.dequeue()
        with tf.Session(cluster.target("worker0"), config=tf.ConfigProto(operation_timeout_in_ms=PATIENCE * 1000)) as session:
            session.run([count.initializer, fill])
            assert session.run([add, take]) == [1, 0]
            assert session.run(count) == 1
            draw = random.Random(1)
            for step in range(1, STEPS):
                if draw.random() < 0.5:
                    draw.choice(list(relays.values())).lose()
                assert session.run([add, take]) == [step + 1, step], cluster.said()
            assert session.run(count) == STEPS
            assert min(relay.cuts for relay in relays.values()) > 10
            assert "closed session" not in cluster.said()
