// A pass over MNIST's test images with augmentation, with 0, 1 and 2 workers that stay: the second pass, when they have
// started.
import { data, torch } from "mpslab";

torch.setNumThreads(1);
const dataset = await data.workerDataset<data.Dataset<readonly [unknown, unknown]>>(
  new URL("./loader_dataset.js", import.meta.url),
  false,
);

const figures: Record<string, number> = {};
for (const numWorkers of [0, 1, 2]) {
  torch.manualSeed(0);
  using loader = new data.DataLoader(dataset, {
    batchSize: 256,
    shuffle: true,
    numWorkers,
    ...(numWorkers > 0 ? { persistentWorkers: true } : {}),
  });
  let batches = 0;
  const pass = (): void => {
    for (const _ of loader) batches++;
  };
  pass();
  const start = performance.now();
  pass();
  figures[`pass of 10,000 images, ${numWorkers} workers, ms`] = performance.now() - start;
  if (batches !== 80) throw new Error(`The passes had ${batches} batches instead of 80.`);
}
console.log(JSON.stringify(figures));
