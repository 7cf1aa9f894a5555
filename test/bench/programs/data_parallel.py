"""Data parallel on two processes, from Python: the twin of data_parallel.ts."""

import json
import resource
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WARM_UP = 20
STEPS = 100

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
torch.set_num_threads(1)


def wide():
    return nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))


def deep():
    layers = [nn.Linear(784, 128), nn.ReLU()]
    for _ in range(24):
        layers += [nn.Linear(128, 128), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(128, 10))


def step_ms(model):
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(64, 784)
    target = torch.randint(0, 10, (64,))
    taken = []
    for step in range(WARM_UP + STEPS):
        start = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(ddp(x), target).backward()
        optimizer.step()
        if step >= WARM_UP:
            taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


figures = {
    "step of a wide model, ms": step_ms(wide()),
    "step of a deep model, ms": step_ms(deep()),
    "peak resident memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
}
dist.destroy_process_group()
print(json.dumps(figures))
