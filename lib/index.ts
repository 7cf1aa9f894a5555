// What a cell imports: `import { torch } from "mpslab"`.
export { Tensor } from "./torch/tensor.ts";
export { torch } from "./torch/torch.ts";
