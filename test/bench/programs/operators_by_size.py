"""Nanoseconds for one call of 25 operators at 4, 1 k and 1 M elements: the twin of operators_by_size.ts."""

import json
import statistics
import time

import torch

STRETCHES = 9
STRETCH_MS = 8
FIRST_CALLS = 16
torch.set_num_threads(1)


def nanoseconds_per_call(call):
    def timed(calls):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        return time.perf_counter_ns() - start

    timed(FIRST_CALLS)
    calls = 1
    ns = timed(calls)
    while ns < STRETCH_MS * 1e6:
        calls *= 2
        ns = timed(calls)
    calls = max(1, round(calls * STRETCH_MS * 1e6 / ns))
    return statistics.median(timed(calls) / calls for _ in range(STRETCHES))


def calls_of(side):
    x = torch.rand(side, side).add(0.5)
    y = torch.rand(side, side).add(0.5)
    vector = torch.rand(side)
    condition = x.gt(y)
    rows = torch.arange(side)
    return {
        "add": lambda: x.add(y),
        "sub": lambda: x.sub(y),
        "mul": lambda: x.mul(y),
        "div": lambda: x.div(y),
        "add 1": lambda: x.add(1),
        "pow": lambda: x.pow(2),
        "neg": lambda: x.neg(),
        "exp": lambda: x.exp(),
        "log": lambda: x.log(),
        "sqrt": lambda: x.sqrt(),
        "tanh": lambda: x.tanh(),
        "sigmoid": lambda: x.sigmoid(),
        "relu": lambda: x.relu(),
        "clamp": lambda: x.clamp(0.6, 1.2),
        "where": lambda: torch.where(condition, x, y),
        "sum": lambda: x.sum(),
        "sum of a dim": lambda: x.sum(1),
        "mean": lambda: x.mean(),
        "argmax": lambda: x.argmax(1),
        "softmax": lambda: x.softmax(-1),
        "layer norm": lambda: torch.layer_norm(x, [side], vector, vector, 1e-5),
        "cat": lambda: torch.cat([x, y]),
        "transposed copy": lambda: x.t().contiguous(),
        "index select": lambda: x.index_select(0, rows),
        "matmul": lambda: x.matmul(y),
    }


figures = {}
for size, side in [("4", 2), ("1k", 32), ("1M", 1024)]:
    for name, call in calls_of(side).items():
        figures[f"{name}, {size}"] = nanoseconds_per_call(call)
print(json.dumps(figures))
