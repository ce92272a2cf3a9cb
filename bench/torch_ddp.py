"""Measures PyTorch's DistributedDataParallel over gloo: steps per second of all workers together. Uses two processes with one
thread each, and the models, batches and optimizer of measures.py.

    python3 torch_ddp.py MODEL STEPS     MODEL: linreg softmax
"""
import json
import os
import sys
import time

from under_test import free_ports

WORKERS = 2
WARM = 10


def work(rank, port, kind, steps, say):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=WORKERS)
    if kind == "linreg":
        layer, x, y = torch.nn.Linear(1, 1), torch.rand(1, 1), torch.rand(1, 1)
        loss_of = torch.nn.functional.mse_loss
    else:
        layer, x, y = torch.nn.Linear(784, 10), torch.rand(100, 784), torch.randint(0, 10, (100,))
        loss_of = torch.nn.functional.cross_entropy
    model = torch.nn.parallel.DistributedDataParallel(layer)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

    for _ in range(WARM):
        step()
    dist.barrier()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    if rank == 0:
        say(steps / (time.perf_counter() - start))
    dist.barrier()


def main():
    kind, steps = sys.argv[1], int(sys.argv[2])
    if kind not in ("linreg", "softmax"):
        sys.exit(f"no model called {kind!r}")
    os.environ["OMP_NUM_THREADS"] = "1"
    port, = free_ports(1)
    other = os.fork()  # before importing torch, which starts threads
    if other == 0:
        work(1, port, kind, steps, None)
        os._exit(0)
    work(0, port, kind, steps, lambda rate: print(json.dumps({"name": f"torch_{kind}", "steps_per_s": rate * WORKERS}), flush=True))
    os.waitpid(other, 0)


if __name__ == "__main__":
    main()
