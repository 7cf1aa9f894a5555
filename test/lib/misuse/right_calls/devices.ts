// A right call of everything about devices, and of the formats of checkpoints.
import path from "node:path";
import { accelerator, mps, serialize } from "../../../../lib/index.ts";
import { anything, inFolder, ofNames, ones, type RightCalls, under } from "./right_calls.ts";

const event = () => {
  const made = new accelerator.Event({ enableTiming: true }, "cpu");
  made.record();
  return made;
};
const written = () => {
  serialize.saveSafetensors({ w: ones(2) }, inFolder("tensors.safetensors"));
  return inFolder("tensors.safetensors");
};

const nvidia = (): RightCalls => {
  const named =
    "memoryAllocated memoryReserved maxMemoryAllocated resetPeakMemoryStats totalMemory synchronize getRngState";
  return {
    ...Object.fromEntries(named.split(" ").map((name) => [name, () => ["cuda:0"]])),
    isBuilt: () => [],
    isAvailable: () => [],
    deviceCount: () => [],
    currentDevice: () => [],
    setDevice: () => ["cuda:0"],
    emptyCache: () => [],
    manualSeed: () => [7, "cuda:0"],
    setRngState: () => [new Uint8Array(16), "cuda:0"],
    Event: () => [{ enableTiming: true }, "cuda:0"],
  };
};

export const deviceCalls: RightCalls = {
  ...under("cuda", nvidia()),
  ...under("mps", {
    isBuilt: () => [],
    isAvailable: () => [],
    deviceCount: () => [],
    metalKernels: () => [],
    operatorsWithoutMetal: () => [],
    supports: () => ["aten::add.Tensor"],
    simulate: () => [{}],
    simulation: () => [],
    currentAllocatedMemory: () => [],
    driverAllocatedMemory: () => [],
    recommendedMaxMemory: () => [],
    emptyCache: () => [],
    synchronize: () => [],
    setPerProcessMemoryFraction: () => [0.9],
    fallbacks: () => [],
    availability: () => [{ macos: 14 }],
    currentStream: () => [],
    defaultStream: () => [],
    setStream: () => [mps.defaultStream()],
    stream: () => [mps.defaultStream(), () => 1],
    "Stream#synchronize": () => [mps.defaultStream()],
    "Stream#equals": () => [mps.defaultStream(), mps.defaultStream()],
    "Stream#toString": () => [mps.defaultStream()],
    seed: () => [],
    getName: () => [],
    getCoreCount: () => [],
    isMacosOrNewer: () => [13, 0],
    isMacos13OrNewer: () => [0],
    manualSeed: () => [7],
    getRngState: () => [],
    setRngState: () => [mps.getRngState()],
    Event: () => [{ enableTiming: true }],
    "Event#record": () => [new mps.Event()],
    "Event#wait": () => [new mps.Event()],
  }),
  ...under("accelerator", {
    currentAccelerator: () => [],
    isAvailable: () => [],
    deviceCount: () => [],
    memoryStats: () => ["cpu"],
    memoryAllocated: () => ["cpu"],
    memoryReserved: () => ["cpu"],
    maxMemoryAllocated: () => ["cpu"],
    resetPeakMemoryStats: () => ["cpu"],
    emptyCache: () => ["cpu"],
    synchronize: () => ["cpu"],
    // `mps.retryOnOutOfMemory` is the same function, and has one right call with it.
    retryOnOutOfMemory: () => [() => 1],
    requireSameDevice: () => [{ x: ones(2), target: ones(2) }, "cpu"],
    Event: () => [{ enableTiming: true }, "cpu"],
    "Event#record": () => [event()],
    "Event#wait": () => [event()],
    "Event#query": () => [event()],
    "Event#synchronize": () => [event()],
    "Event#elapsedTime": () => [event(), event()],
  }),
  ...under("cpu", {
    currentAllocatedMemory: () => [],
    driverAllocatedMemory: () => [],
    recommendedMaxMemory: () => [],
    emptyCache: () => [],
    setPerProcessMemoryFraction: () => [0.9],
  }),
  ...under("serialize", {
    saveSafetensors: () => [
      ofNames({ w: ones(2) }),
      inFolder("tensors.safetensors"),
      { metadata: ofNames({ format: "pt" }) },
    ],
    loadSafetensors: () => [written(), { device: "cpu", mmap: false }],
    loadTorch: () => [
      path.join(import.meta.dirname, "../../../fixtures/torch_files/tensor.pt"),
      { device: "cpu", mmap: true },
    ],
    readSafetensorsHeader: () => [written()],
    saveTorch: () => [anything, inFolder("value.pt")],
  }),
};
