"""The same as models.ts, in PyTorch."""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(2)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128, 2, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class TransformerBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(128, 4, 256, dropout=0, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.block(x).mean(1))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 4, stride=4)
        self.class_token = nn.Parameter(torch.zeros(1, 1, 192))
        self.positions = nn.Parameter(torch.zeros(1, 65, 192))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(192, 3, 768, dropout=0, activation="gelu", batch_first=True, norm_first=True)
            for _ in range(12)
        )
        self.norm = nn.LayerNorm(192)
        self.head = nn.Linear(192, 10)

    def forward(self, x):
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.class_token.expand(x.shape[0], -1, -1), tokens], 1) + self.positions
        for block in self.blocks:
            y = block(y)
        return self.head(self.norm(y[:, 0]))


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 10),
    )


MODELS = {
    "MLP step, ms": (mlp, (512, 784)),
    "CNN step, ms": (cnn, (64, 1, 28, 28)),
    "LSTM step, ms": (Lstm, (32, 24, 64)),
    "transformer block step, ms": (TransformerBlock, (16, 32, 128)),
    "ViT-tiny step, ms": (VisionTransformer, (8, 3, 32, 32)),
}

medians = {}
wanted = sys.argv[1] if len(sys.argv) > 1 else ""
for name, (make, shape) in MODELS.items():
    if not name.startswith(wanted):
        continue
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(shape)
    target = torch.randint(0, 10, (shape[0],))
    step_ms = []
    for _ in range(60):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        step_ms.append((time.perf_counter() - start) * 1000)
    step_ms.sort()
    medians[name] = step_ms[len(step_ms) // 2]
print(json.dumps(medians))
