// Exports `data` of `import { data } from "mpslab"`.
export { type Collated, defaultCollate } from "./collate.ts";
export { type Dataset, type IterableDataset, TensorDataset } from "./datasets/dataset.ts";
export { diagnoseLoader, type DiagnoseOptions, type LoaderDiagnosis, type WorkerTrial } from "./diagnose.ts";
export { DistributedSampler, type DistributedSamplerOptions } from "./distributed_sampler.ts";
export { readIdx } from "./datasets/idx.ts";
export { decodeImage, readImage } from "./images/decode.ts";
export { type GridOptions, makeGrid, saveImage } from "./images/grid.ts";
export { ImageFolder, imageFolder, type ImageFolderOptions } from "./images/image_folder.ts";
export type { ImageMode } from "./images/pixels.ts";
export { DataLoader, type LoaderUsage } from "./loader.ts";
export type { LoaderOptions } from "./loader_options.ts";
export type { LoaderTimings } from "./timings.ts";
export { TransformedDataset } from "./datasets/transformed.ts";
export { mnist, type Mnist, type MnistOptions } from "./datasets/mnist.ts";
export { MNIST, type MnistDatasetOptions } from "./datasets/mnist_dataset.ts";
export { padCollate, type PadOptions } from "./pad.ts";
export { ChainDataset, ConcatDataset, randomSplit, Subset } from "./datasets/parts.ts";
export {
  BatchSampler,
  RandomSampler,
  type RandomSamplerOptions,
  type Sampler,
  SequentialSampler,
  SubsetRandomSampler,
  WeightedRandomSampler,
  type WeightedRandomSamplerOptions,
} from "./samplers.ts";
export { BytePairTokenizer } from "./text/byte_pair_tokenizer.ts";
export type { Tokenizer, TrainOptions } from "./text/tokenizer.ts";
export { WordTokenizer, type WordTrainOptions } from "./text/word_tokenizer.ts";
export { StackDataset } from "./datasets/stack.ts";
export type { Categories, Column, ToTensorOptions } from "./tables/column.ts";
export type { CellValue, ColumnKind } from "./tables/kinds.ts";
export type { Aggregates, Group, Groups, GroupSummary } from "./tables/groups.ts";
export type { JoinKind } from "./tables/join.ts";
export { type CsvOptions, readCsv, type RowOf } from "./tables/read_csv.ts";
export type { ColumnSummary, Statistic, ValueCount } from "./tables/summary.ts";
export type { AnyRow, WithColumn } from "./tables/row.ts";
export type { ColumnValues } from "./tables/given.ts";
export type { JoinOptions } from "./tables/join.ts";
export type { SortOptions } from "./tables/sorted_rows.ts";
export { Table } from "./tables/table.ts";
export * as transforms from "./transforms/index.ts";
export { type DatasetModule, workerDataset } from "./workers/worker_dataset.ts";
export { getWorkerInfo, type WorkerInfo } from "./workers/worker_protocol.ts";
