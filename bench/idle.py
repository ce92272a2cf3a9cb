"""Starts an idle parameter server, and prints the time until its port accepts connections and its peak memory.

    python3 idle.py COMMAND...     "{port}" in the command is the port to listen on
"""
import json
import socket
import subprocess
import sys
import time

from under_test import free_ports, peak_mb

TIMEOUT_S = 60


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def main():
    port, = free_ports(1)
    start = time.perf_counter()
    server = subprocess.Popen([part.replace("{port}", str(port)) for part in sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not is_open(port):
            if server.poll() is not None or time.perf_counter() - start > TIMEOUT_S:
                sys.exit(f"{sys.argv[1]} did not start to listen")
            time.sleep(0.0005)
        ready = time.perf_counter() - start
        time.sleep(0.5)  # include memory that it takes right after starting
        print(json.dumps({"start_s": ready, "peak_mb": peak_mb(server.pid)}))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
