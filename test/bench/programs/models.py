"""The same as models.ts, in PyTorch."""
import json
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
    "CNN step, ms": (cnn, (64, 1, 28, 28)),
    "LSTM step, ms": (Lstm, (32, 24, 64)),
    "transformer block step, ms": (TransformerBlock, (16, 32, 128)),
}

medians = {}
for name, (make, shape) in MODELS.items():
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
