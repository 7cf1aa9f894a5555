"""A GPU from Python: the twin of gpu.ts."""

import gc
import json
import time

import torch
from torch import nn
from torch.nn import functional as F

CALLS = 500
ROUNDS = 60
BATCH_SIZE = 128
STEPS = 20
device = "cuda"


def launch_ns(call):
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - start) / CALLS)
        torch.cuda.synchronize()
    return sorted(rounds[ROUNDS // 2 :])[ROUNDS // 4]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(192)
        self.qkv = nn.Linear(192, 3 * 192)
        self.proj = nn.Linear(192, 192)
        self.norm2 = nn.LayerNorm(192)
        self.fc1 = nn.Linear(192, 768)
        self.fc2 = nn.Linear(768, 192)

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, tokens, 3, 3, 64).permute(2, 0, 3, 1, 4).unbind(0)
        attention = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, tokens, 192)
        x = x + self.proj(attention)
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 16, stride=16)
        self.token = nn.Parameter(torch.zeros(1, 1, 192))
        self.positions = nn.Parameter(torch.randn(1, 197, 192) * 0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(12))
        self.norm = nn.LayerNorm(192)
        self.head = nn.Linear(192, 1000)

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(images.shape[0], -1, -1), patches], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def training_step_ms():
    model = VisionTransformer().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    images = torch.randn(BATCH_SIZE, 3, 224, 224).to(device)
    labels = torch.randint(0, 1000, (BATCH_SIZE,)).to(device)

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()

    for _ in range(5):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1000 / STEPS


torch.manual_seed(0)
x = torch.randn(1024).to(device)
y = torch.randn(1024).to(device)
a = torch.randn(64, 64).to(device)
figures = {
    "launch add, ns": launch_ns(lambda: x.add(y)),
    "launch mul, ns": launch_ns(lambda: x.mul(y)),
    "launch relu, ns": launch_ns(lambda: x.relu()),
    "launch mm, ns": launch_ns(lambda: a.mm(a)),
    "launch sum, ns": launch_ns(lambda: x.sum()),
    "launch view, ns": launch_ns(lambda: a.view(4096)),
}
figures["ViT-tiny training step, ms"] = training_step_ms()
gc.collect()
torch.cuda.empty_cache()
figures["allocated after the flush, MB"] = torch.cuda.memory_allocated() / 1e6
figures["reserved after the flush, MB"] = torch.cuda.memory_reserved() / 1e6
print(json.dumps(figures))
