"""Training steps of a ResNet-18 and of a nanoGPT with DistributedDataParallel: the twin of data_parallel_gpu.ts."""

import json
import os
import time

import torch
import torch.distributed as dist
from gpt import Gpt
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

STEPS, CHUNKS, WARM_UP = 10, 5, 15
LENGTH, VOCABULARY = 256, 50304
SIZE = dict(width=768, heads=12, length=LENGTH, vocabulary=VOCABULARY, layers=12)
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


def rank():
    number = int(os.environ["RANK"])
    torch.cuda.set_device(number)
    dist.init_process_group("nccl", device_id=torch.device("cuda", number))
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
            Gpt(**SIZE), dtype, lambda model: F.cross_entropy(model(ids).view(-1, VOCABULARY), following)
        )
    dist.destroy_process_group()
    return figures


print(json.dumps(rank()))
