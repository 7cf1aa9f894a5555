// What `import { data } from "mpslab"` offers.
export { collate, type Collated } from "./collate.ts";
export { TensorDataset, type Dataset } from "./dataset.ts";
export { readIdx } from "./idx.ts";
export { DataLoader, type LoaderOptions } from "./loader.ts";
export { mnist, type Mnist, type MnistOptions } from "./mnist.ts";
