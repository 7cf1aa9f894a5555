// Exports `distributed` of `import { distributed } from "mpslab"`: several processes that work together.
export * as checkpoint from "./checkpoint/index.ts";
export { allReduce, barrier, broadcast, reduce } from "./collectives.ts";
export type { Backend } from "./backends.ts";
export { getNodeLocalRank, isTorchelasticLaunched } from "./environment.ts";
export { DistBackendError, DistStoreError } from "./errors.ts";
export {
  destroyProcessGroup,
  getBackend,
  getProcessGroupRanks,
  getRank,
  getWorldSize,
  initProcessGroup,
  type InitProcessGroupOptions,
  isAvailable,
  isGlooAvailable,
  isInitialized,
  isNcclAvailable,
} from "./init.ts";
export {
  allGather,
  allGatherIntoTensor,
  allToAll,
  allToAllSingle,
  type AllToAllSingleOptions,
  gather,
  reduceScatter,
  reduceScatterTensor,
  scatter,
} from "./lists.ts";
export { irecv, isend, recv, send } from "./messages.ts";
export * as optim from "./optim/index.ts";
export type { MessageOptions, ReducingOptions } from "./options.ts";
export { newGroup, type NewGroupOptions, type ProcessGroup } from "./process_group.ts";
export { ReduceOp, type ReduceOpName } from "./reduce_op.ts";
export type { CollectiveOptions, Started } from "./start.ts";
export { TCPStore, type TCPStoreOptions } from "./store.ts";
export type { Work } from "./work.ts";
