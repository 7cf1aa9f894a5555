"""Training steps of three small models, as ever and as a CUDA graph: the twin of capture.ts."""

import json
import os
import time

import torch
from gpt import Gpt
from torch import nn
from torch.nn import functional as F

device = os.environ.get("MPSLAB_DEVICE", "cpu")
STEPS = 60
LENGTH, VOCABULARY, BATCH = 64, 65, 12
SIZE = dict(width=128, heads=4, length=LENGTH, vocabulary=VOCABULARY, layers=4)


def synchronize():
    if device != "cpu":
        torch.cuda.synchronize()


def step_ms(step):
    for _ in range(15):
        step()
    synchronize()
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[STEPS // 2]


figures = {}


def measure(name, model, adam, loss):
    def step():
        optimizer.zero_grad(set_to_none=True)
        value = loss()
        value.backward()
        optimizer.step()
        return value

    optimizer = adam(model.parameters(), lr=1e-3)
    figures[f"{name}, as ever, ms"] = step_ms(step)
    if device == "cpu":
        return
    optimizer = adam(model.parameters(), lr=1e-3, capturable=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    figures[f"{name}, captured, ms"] = step_ms(graph.replay)


torch.manual_seed(0)
if device != "cpu":
    gpt = Gpt(**SIZE).to(device)
    ids, following = [torch.randint(VOCABULARY, (BATCH, LENGTH)).to(device) for _ in range(2)]
    measure(
        "nanoGPT",
        gpt,
        torch.optim.AdamW,
        lambda: F.cross_entropy(gpt(ids).view(-1, VOCABULARY), following.view(-1)),
    )
    autoencoder = nn.Sequential(
        nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 16), nn.ReLU(),
        nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 784), nn.Sigmoid(),
    ).to(device)  # fmt: skip
    images = torch.rand(64, 784).to(device)
    measure("autoencoder", autoencoder, torch.optim.Adam, lambda: F.mse_loss(autoencoder(images), images))
tiny = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)).to(device)
state = torch.rand(1, 4).to(device)
measure("4-64-64-2", tiny, torch.optim.Adam, lambda: -F.log_softmax(tiny(state), -1)[0, 1])
print(json.dumps(figures))
