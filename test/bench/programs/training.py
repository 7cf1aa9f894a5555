"""MNIST with an MLP, one epoch, from Python: the twin of training.ts."""

import json
import pathlib
import resource
import statistics
import sys
import time

import numpy
import torch

BATCH_SIZE = 512
data = pathlib.Path(sys.argv[1])
pixels = torch.from_numpy(numpy.fromfile(data / "train-images-idx3-ubyte", numpy.uint8, offset=16))
labels = torch.from_numpy(numpy.fromfile(data / "train-labels-idx1-ubyte", numpy.uint8, offset=8))
images = pixels.view(60_000, 784).float().div_(255)
targets = labels.long()

torch.manual_seed(0)
torch.set_num_threads(2)
model = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.Adam(model.parameters())
loader = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(images, targets), batch_size=BATCH_SIZE, shuffle=True
)

step_ms = []
start = time.perf_counter()
for x, target in loader:
    step_start = time.perf_counter()
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), target)
    loss.backward()
    optimizer.step()
    step_ms.append((time.perf_counter() - step_start) * 1000)

print(
    json.dumps(
        {
            "training step, ms": statistics.median(step_ms),
            "epoch with its DataLoader, ms": (time.perf_counter() - start) * 1000,
            "peak resident memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        }
    )
)
