// Exports `nn.parallel`.
export { type DataParallelOptions, DistributedDataParallel } from "./data_parallel.ts";
