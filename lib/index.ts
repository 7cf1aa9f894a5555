// What a cell imports: `import { torch } from "mpslab"`.
export * as lab from "./lab/index.ts";
export { Tensor } from "./torch/tensor.ts";
export { torch } from "./torch/torch.ts";
