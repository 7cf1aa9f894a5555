// The normalizations.
export { BatchNorm1d, BatchNorm2d, BatchNorm3d, type BatchNormOptions, SyncBatchNorm } from "./batch.ts";
export { GroupNorm, type GroupNormOptions } from "./group.ts";
export { InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, type InstanceNormOptions } from "./instance.ts";
export { LayerNorm, RMSNorm, type LayerNormOptions, type RMSNormOptions } from "./layer.ts";
export { LocalResponseNorm, type LocalResponseNormOptions } from "./local_response.ts";
