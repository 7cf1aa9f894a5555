"""Nanoseconds for one call of an operator on small tensors, from Python: the twin of operators.ts."""

import json
import time

import torch

CALLS = 100_000
torch.set_num_threads(1)


def nanoseconds_per_call(call):
    for _ in range(CALLS // 10):
        call()
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        call()
    return (time.perf_counter_ns() - start) / CALLS


x = torch.randn(4)
y = torch.randn(4)
a = torch.randn(16, 16)
b = torch.randn(16, 16)

print(
    json.dumps(
        {
            "add": nanoseconds_per_call(lambda: x.add(y)),
            "mul": nanoseconds_per_call(lambda: x.mul(y)),
            "relu": nanoseconds_per_call(lambda: x.relu()),
            "mm 16x16": nanoseconds_per_call(lambda: a.mm(b)),
            "sum": nanoseconds_per_call(lambda: x.sum()),
            "view": nanoseconds_per_call(lambda: a.view([256])),
        }
    )
)
