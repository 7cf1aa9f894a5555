// The convolutions.
export { Conv1d, Conv2d, Conv3d, type ConvOptions, type ConvTailOptions } from "./conv.ts";
export type { PaddingMode, Sizes } from "./geometry.ts";
export {
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
  type ConvTransposeOptions,
} from "./transposed.ts";
