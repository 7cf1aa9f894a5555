"""Training steps of three small models, as ever and as a CUDA graph: the twin of capture.ts."""

import json
import os
import time

import torch
from torch import nn
from torch.nn import functional as F

device = os.environ.get("MPSLAB_DEVICE", "cpu")
STEPS = 60
WIDTH, HEADS, LENGTH, VOCABULARY, LAYERS, BATCH = 128, 4, 64, 65, 4, 12


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch = x.shape[0]
        q, k, v = [
            part.view(batch, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.qkv(x).split(WIDTH, 2)
        ]
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(attended.transpose(1, 2).contiguous().view(batch, LENGTH, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.dense = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.dense(self.norm2(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.register_buffer("places", torch.arange(LENGTH))

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tokens(ids) + self.positions(self.places))))


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
    gpt = Gpt().to(device)
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
