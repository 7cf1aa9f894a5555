"""Trains the model of 11-small-gpt.ipynb in PyTorch, and writes its losses to small_gpt.json.

The notebook compares its own losses with them. Seed, text and the order of random draws are the notebook's.
    python notebooks/data/small_gpt.py   # in an environment with PyTorch
"""

import hashlib
import json
import pathlib

import torch
from torch import nn
from torch.nn import functional as F

FOLDER = pathlib.Path(__file__).resolve().parent
TEXT = FOLDER / "shakespeare.txt"
CONTEXT, BATCH_SIZE, WIDTH, HEADS = 64, 24, 96, 4
EPOCHS, STEPS = 8, 50

text = TEXT.read_text(encoding="utf8")
# JavaScript sorts by UTF-16 units, as Python does by code points; they agree for characters below U+10000.
characters = sorted(set(text))
number_of = {character: number for number, character in enumerate(characters)}
numbers = torch.tensor([number_of[character] for character in text])
split = int(0.9 * len(text))
train_text, test_text = numbers[:split], numbers[split:]


def batch(source):
    starts = torch.randint(0, len(source) - CONTEXT - 1, (BATCH_SIZE, 1))
    pieces = source[starts + torch.arange(CONTEXT + 1)]
    return pieces[:, :-1], pieces[:, 1:]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batches, length, _ = x.shape
        query, key, value = (
            part.view(batches, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.project(x).chunk(3, 2)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batches, length, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.network = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        y = x + self.attention(self.norm1(x))
        return y + self.network(self.norm2(y))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(len(characters), WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, len(characters))

    def forward(self, x):
        places = torch.arange(x.shape[1])
        return self.head(self.norm(self.blocks(self.tokens(x) + self.positions(places))))


def loss_of(model, pieces, target):
    return F.cross_entropy(model(pieces).flatten(0, 1), target.flatten())


torch.manual_seed(1)
model = Gpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
losses, test_losses = [], []
for epoch in range(EPOCHS):
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model, *batch(train_text))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        test_losses.append(sum(loss_of(model, *batch(test_text)).item() for _ in range(5)) / 5)
    print(f"epoch {epoch + 1}: training loss {losses[-1]:.2f}, test loss {test_losses[-1]:.2f}")

record = {
    "torch": torch.__version__.split("+")[0],
    "threads": torch.get_num_threads(),
    "textSha256": hashlib.sha256(TEXT.read_bytes()).hexdigest(),
    "losses": [round(loss, 6) for loss in losses],
    "testLosses": [round(loss, 6) for loss in test_losses],
}
(FOLDER / "small_gpt.json").write_text(json.dumps(record) + "\n")
