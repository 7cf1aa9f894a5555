// A right call of everything in `distributed`, in a world of one process.
import { data, distributed, nn, optim } from "../../../../lib/index.ts";
import { NO_NAME_SERVICE } from "../../torch/distributed/ranks.ts";
import { inFolder, leaf, ones, type RightCalls, under } from "./right_calls.ts";

/** Long enough to connect on a busy machine; a message that nobody sends is waited for so long. */
const TIMEOUT_MS = 3000;
Object.assign(process.env, NO_NAME_SERVICE);

const server = () => new distributed.TCPStore("127.0.0.1", 0, { isMaster: true, timeoutMs: TIMEOUT_MS });

let shared: distributed.TCPStore | undefined;
const store = (): distributed.TCPStore => {
  shared ??= server();
  shared.set("key", "value");
  return shared;
};

function freePort(): number {
  const listening = server();
  listening.close();
  return listening.port;
}

const noWorld = (): void => {
  if (distributed.isInitialized()) distributed.destroyProcessGroup();
};

const options = () => ({
  backend: "gloo",
  initMethod: `tcp://127.0.0.1:${freePort()}`,
  rank: 0,
  worldSize: 1,
  timeoutMs: TIMEOUT_MS,
  checkCollectives: false,
});

const world = (): void => {
  if (!distributed.isInitialized())
    distributed.initProcessGroup({ store: server(), rank: 0, worldSize: 1, timeoutMs: TIMEOUT_MS });
};

/** In a world, which is made where there is none. */
const inWorld =
  (call: () => readonly unknown[]): (() => readonly unknown[]) =>
  () => {
    world();
    return call();
  };

const collective = { group: null, asyncOp: false };
const reducing = { ...collective, op: "sum" };

const stores: RightCalls = {
  TCPStore: () => ["127.0.0.1", 0, { isMaster: true, timeoutMs: TIMEOUT_MS }],
  "TCPStore#set": () => [store(), "key", "value"],
  "TCPStore#get": () => [store(), "key", 100],
  "TCPStore#compareSet": () => [store(), "other", "", "value"],
  "TCPStore#add": () => [store(), "counter", 1],
  "TCPStore#check": () => [store(), ["key"]],
  "TCPStore#wait": () => [store(), ["key"], 100],
  "TCPStore#deleteKey": () => [store(), "key"],
  "TCPStore#numKeys": () => [store()],
  "TCPStore#close": () => [server()],
};

const collectives: RightCalls = {
  allReduce: () => [ones(2), reducing],
  broadcast: () => [ones(2), 0, collective],
  reduce: () => [ones(2), 0, reducing],
  barrier: () => [collective],
  allGather: () => [[ones(2)], ones(2), collective],
  allGatherIntoTensor: () => [ones(2), ones(2), collective],
  gather: () => [ones(2), [ones(2)], 0, collective],
  scatter: () => [ones(2), [ones(2)], 0, collective],
  reduceScatter: () => [ones(2), [ones(2)], reducing],
  reduceScatterTensor: () => [ones(2), ones(2), reducing],
  allToAll: () => [[ones(2)], [ones(2)], collective],
  allToAllSingle: () => [ones(2), ones(2), { ...collective, outputSplitSizes: [2], inputSplitSizes: [2] }],
};

const groups: RightCalls = {
  getRank: () => [null],
  getWorldSize: () => [null],
  getBackend: () => [null],
  getProcessGroupRanks: () => [null],
  newGroup: () => [[0], { timeoutMs: TIMEOUT_MS }],
  destroyProcessGroup: () => [null],
};

const inAWorld = (calls: RightCalls): RightCalls =>
  Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, inWorld(call)]));

/** One process has nobody to send to: they say so, whatever else they are given. */
export const messages: RightCalls = under(
  "torch.distributed",
  inAWorld({
    send: () => [ones(2), 0, { group: null, tag: 0 }],
    isend: () => [ones(2), 0, { group: null, tag: 0 }],
    recv: () => [ones(2), 0, { group: null, tag: 0 }],
    irecv: () => [ones(2), 0, { group: null, tag: 0 }],
  }),
);

const zero = () => new distributed.optim.ZeroRedundancyOptimizer([leaf(2)], optim.Adam, { lr: 0.1 });

export const distributedCalls: RightCalls = {
  ...under("torch.distributed", {
    ...stores,
    ...inAWorld(collectives),
    ...inAWorld(groups),
    initProcessGroup: () => {
      noWorld();
      return [options()];
    },
    isAvailable: () => [],
    isGlooAvailable: () => [],
    isInitialized: () => [],
    isNcclAvailable: () => [],
    isTorchelasticLaunched: () => [],
    getNodeLocalRank: () => [0],
  }),
  "nn.parallel.DistributedDataParallel": inWorld(() => [
    new nn.Linear(2, 1),
    {
      processGroup: null,
      broadcastBuffers: true,
      initSync: true,
      bucketCapMb: 25,
      findUnusedParameters: false,
      gradientAsBucketView: false,
    },
  ]),
  "nn.parallel.DistributedDataParallel#forward": inWorld(() => [
    new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1)),
    ones(1, 2),
  ]),
  "nn.parallel.DistributedDataParallel#noSync": inWorld(() => [
    new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1)),
    () => 1,
  ]),
  "nn.parallel.DistributedDataParallel#toString": inWorld(() => [
    new nn.parallel.DistributedDataParallel(new nn.Linear(2, 1)),
  ]),
  ...under(
    "torch.distributed",
    inAWorld({
      "optim.ZeroRedundancyOptimizer": () => [[leaf(2)], optim.Adam, { lr: 0.1 }],
      "optim.ZeroRedundancyOptimizer#addParamGroup": () => [zero(), { params: [leaf(2)] }],
      "optim.ZeroRedundancyOptimizer#step": () => [zero()],
      "optim.ZeroRedundancyOptimizer#consolidateStateDict": () => [zero(), 0],
      "optim.ZeroRedundancyOptimizer#stateDict": () => {
        const optimizer = zero();
        optimizer.consolidateStateDict(0);
        return [optimizer];
      },
    }),
  ),
  // Without a group; with one, its own tests have what it refuses on several ranks.
  "torch.distributed.checkpoint.save": () => {
    noWorld();
    return [{ weight: ones(2) }, { checkpointId: inFolder("saved"), processGroup: null }];
  },
  "torch.distributed.checkpoint.load": () => {
    noWorld();
    const checkpointId = inFolder("loaded");
    distributed.checkpoint.save({ weight: ones(2) }, { checkpointId });
    return [{ weight: ones(2) }, { checkpointId, processGroup: null }];
  },
  "data.DistributedSampler": () => [
    [1, 2, 3],
    { numReplicas: 2, rank: 0, shuffle: true, seed: 0, dropLast: false },
  ],
  "data.DistributedSampler#setEpoch": () => [
    new data.DistributedSampler([1, 2, 3], { numReplicas: 2, rank: 0 }),
    1,
  ],
};
