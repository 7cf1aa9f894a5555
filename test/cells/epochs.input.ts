const losses: number[] = [];

for (const epoch of [0, 1, 2]) {
  for (const batch of [1, 2]) {
    if (batch > epoch) continue;
    losses.push(epoch * batch);
  }
}

// @epoch until the loss is small
train: while (losses.length > 0) {
  for (;;) {
    losses.pop();
    continue train;
  }
}

// @no-flush: every iteration is short
for (let epoch = 0; epoch < 2; epoch++) losses.push(epoch);

async function fit(rates: number[]) {
  for (const rate of rates)
    for (let ep = 0; ep < 2; ep++) {
      if (rate > 1) return await rate;
      for (const epoch of [ep]) losses.push(epoch);
    }
}

const lab = { epochs: (n: number) => Array.from({ length: n }, (_, i) => i) };
for (const epoch of lab.epochs(2)) losses.push(epoch);

await fit([1, 2]);
