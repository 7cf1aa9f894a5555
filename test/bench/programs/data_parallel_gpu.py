"""Training steps of a ResNet-18 and of a nanoGPT with DistributedDataParallel: the twin of data_parallel_gpu.ts."""

import json
import os
import socket
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

STEPS, CHUNKS, WARM_UP = 10, 5, 15
WIDTH, HEADS, LENGTH, VOCABULARY, LAYERS = 768, 12, 256, 50304, 12
SEQUENCES, IMAGES, CLASSES = 8, 32, 1000


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        out = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(out + (x if self.downsample is None else self.downsample(x)))


def resnet18():
    shapes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
    shapes += [(128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, stride=2, padding=1),
        *[BasicBlock(*shape) for shape in shapes],
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, CLASSES),
    )


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


def step_ms(step):
    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(CHUNKS):
        start = time.perf_counter()
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3 / STEPS)
    return sorted(times)[CHUNKS // 2]


def measure(model, dtype, loss):
    ddp = DistributedDataParallel(model.cuda())
    # The kernel that our optimizers call.
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=1e-4, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=dtype == "bfloat16"):
            value = loss(ddp)
        value.backward()
        optimizer.step()

    return step_ms(step)


def rank(number, size, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(number)
    device = torch.device("cuda", number)
    dist.init_process_group("nccl", rank=number, world_size=size, device_id=device)
    torch.manual_seed(0)
    images = torch.rand(IMAGES, 3, 224, 224).cuda()
    labels = torch.randint(CLASSES, (IMAGES,)).cuda()
    ids = torch.randint(VOCABULARY, (SEQUENCES, LENGTH)).cuda()
    following = torch.randint(VOCABULARY, (SEQUENCES * LENGTH,)).cuda()
    figures = {}
    for dtype in ("float32", "bfloat16"):
        figures[f"ResNet-18, {dtype}, ms"] = measure(
            resnet18(), dtype, lambda model: F.cross_entropy(model(images), labels)
        )
        figures[f"nanoGPT, {dtype}, ms"] = measure(
            Gpt(), dtype, lambda model: F.cross_entropy(model(ids).view(-1, VOCABULARY), following)
        )
    dist.destroy_process_group()
    if number == 0:
        print(json.dumps(figures))


if __name__ == "__main__":
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        free = server.getsockname()[1]
    processes = int(sys.argv[1])
    mp.spawn(rank, (processes, free), nprocs=processes)
