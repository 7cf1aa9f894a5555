"""The same as loader.ts, with PyTorch's DataLoader and torchvision's transforms."""

import json
import pathlib
import sys
import time

import numpy
import torch
from torchvision.transforms import v2

data = pathlib.Path(sys.argv[1])


class AugmentedMnist(torch.utils.data.Dataset):
    def __init__(self):
        pixels = numpy.fromfile(data / "t10k-images-idx3-ubyte", numpy.uint8, offset=16)
        labels = numpy.fromfile(data / "t10k-labels-idx1-ubyte", numpy.uint8, offset=8)
        self.images = torch.from_numpy(pixels).view(10_000, 1, 28, 28)
        self.labels = torch.from_numpy(labels).long()
        self.transform = v2.Compose(
            [
                v2.RandomCrop(28, padding=2),
                v2.RandomRotation(10),
                v2.ToDtype(torch.float32, scale=True),
                v2.Normalize([0.1307], [0.3081]),
            ]
        )

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


def main():
    torch.set_num_threads(1)
    dataset = AugmentedMnist()
    figures = {}
    for workers in (0, 1, 2):
        torch.manual_seed(0)
        loader = torch.utils.data.DataLoader(
            dataset, batch_size=256, shuffle=True, num_workers=workers, persistent_workers=workers > 0
        )
        batches = sum(1 for _ in loader)
        start = time.perf_counter()
        batches += sum(1 for _ in loader)
        figures[f"pass of 10,000 images, {workers} workers, ms"] = (time.perf_counter() - start) * 1000
        assert batches == 80, batches
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
