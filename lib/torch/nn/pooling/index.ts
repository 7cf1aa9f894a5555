// The poolings.
export {
  AdaptiveAvgPool1d,
  AdaptiveAvgPool2d,
  AdaptiveAvgPool3d,
  AdaptiveMaxPool1d,
  AdaptiveMaxPool2d,
  AdaptiveMaxPool3d,
  type OutputSize,
} from "./adaptive.ts";
export {
  AvgPool1d,
  AvgPool2d,
  AvgPool3d,
  LPPool1d,
  LPPool2d,
  LPPool3d,
  type AvgPoolDivisorOptions,
  type AvgPoolOptions,
  type LPPoolOptions,
} from "./avg.ts";
export { FractionalMaxPool2d, FractionalMaxPool3d, type FractionalMaxPoolOptions } from "./fractional.ts";
export { MaxPool1d, MaxPool2d, MaxPool3d, type Pooled } from "./max.ts";
export type { AdaptiveMaxPoolOptions } from "../functional/adaptive.ts";
export type { MaxPoolOptions } from "../functional/max_pooling.ts";
export { MaxUnpool1d, MaxUnpool2d, MaxUnpool3d, type UnpoolOptions } from "./unpool.ts";
