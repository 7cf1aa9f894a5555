// How a process learns its rank: from torchrun's variables, Slurm's, or an address.
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  firstHost,
  readRendezvous,
  type RendezvousOptions,
} from "../../../../lib/torch/distributed/environment.ts";
import { distributed } from "../../../../lib/index.ts";

const read = (env: Record<string, string>, options: Partial<RendezvousOptions> = {}) =>
  readRendezvous("init", { initMethod: "env://", rank: undefined, worldSize: undefined, ...options }, env);

const TORCHRUN = { RANK: "1", WORLD_SIZE: "4", MASTER_ADDR: "10.0.0.1", MASTER_PORT: "29500" };
const SLURM = {
  SLURM_PROCID: "3",
  SLURM_NTASKS: "8",
  SLURM_JOB_NODELIST: "gpu[07-08,11]",
  SLURM_JOB_ID: "123456",
};

describe("env://", () => {
  it("reads torchrun's variables", () => {
    const found = { rank: 1, worldSize: 4, host: "10.0.0.1", port: 29_500, agentStore: false, attempt: "0" };
    expect(read(TORCHRUN)).toEqual(found);
    const agent = { TORCHELASTIC_USE_AGENT_STORE: "True", TORCHELASTIC_RESTART_COUNT: "2" };
    expect(read({ ...TORCHRUN, ...agent })).toEqual({ ...found, agentStore: true, attempt: "2" });
  });

  it("reads Slurm's: the first node, and a port of the job", () => {
    expect(read(SLURM)).toMatchObject({ rank: 3, worldSize: 8, host: "gpu07", port: 18_456 });
  });

  it("prefers what the user says", () => {
    expect(read(TORCHRUN, { rank: 0, worldSize: 2 })).toMatchObject({ rank: 0, worldSize: 2 });
    expect(read({ ...SLURM, MASTER_ADDR: "login", MASTER_PORT: "1234" })).toMatchObject({
      host: "login",
      port: 1234,
    });
  });

  it.each(["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])("says that %s is missing", (name) => {
    const env: Record<string, string> = { ...TORCHRUN };
    delete env[name];
    expect(() => read(env)).toThrow(
      `init: ${name} is not set: start it with torchrun or srun, or pass { initMethod: "tcp://127.0.0.1:29500", rank: 0, worldSize: 2 }.`,
    );
  });

  it("refuses what is no number, and a rank outside", () => {
    expect(() => read({ ...TORCHRUN, RANK: "one" })).toThrow(
      'init: RANK must be a whole number of at least 0, got "one".',
    );
    expect(() => read({ ...TORCHRUN, RANK: "4" })).toThrow(
      "init: the rank must be below the number of processes, but got rank 4 of 4.",
    );
  });
});

describe("tcp://", () => {
  it("reads the address, and rank and size behind it", () => {
    const found = { host: "127.0.0.1", port: 29_501, rank: 1, worldSize: 2 };
    expect(read({}, { initMethod: "tcp://127.0.0.1:29501?rank=1&world_size=2" })).toMatchObject(found);
    expect(read({}, { initMethod: "tcp://127.0.0.1:29501", rank: 1, worldSize: 2 })).toMatchObject(found);
    expect(read({}, { initMethod: "tcp://[::1]:29501", rank: 0, worldSize: 1 })).toMatchObject({
      host: "::1",
    });
  });

  it.each(["tcp://127.0.0.1", "127.0.0.1:29500", "file:///tmp/x", ""])("refuses %s", (initMethod) => {
    expect(() => read({}, { initMethod, rank: 0, worldSize: 1 })).toThrow(
      `init: initMethod must be "env://" or an address like "tcp://127.0.0.1:29500", got ${JSON.stringify(initMethod)}.`,
    );
  });

  it("needs rank and size", () => {
    expect(() => read(TORCHRUN, { initMethod: "tcp://127.0.0.1:29500" })).toThrow(
      "init: rank is missing: with a tcp:// address pass rank and worldSize.",
    );
  });
});

it("finds the first host of Slurm's lists", () => {
  expect(["a", "a,b", "n[1-3]", "n[01,03],login", "rack2-[10-12]"].map(firstHost)).toEqual([
    "a",
    "a",
    "n1",
    "n01",
    "rack2-10",
  ]);
});

describe("getNodeLocalRank", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is the launcher's, or the fallback", () => {
    expect(() => distributed.getNodeLocalRank()).toThrow(
      "distributed.getNodeLocalRank: LOCAL_RANK is not set: start the program with torchrun, or pass a fallback.",
    );
    expect(distributed.getNodeLocalRank(0)).toBe(0);
    vi.stubEnv("SLURM_LOCALID", "2");
    expect(distributed.getNodeLocalRank(0)).toBe(2);
    vi.stubEnv("LOCAL_RANK", "1");
    expect(distributed.getNodeLocalRank()).toBe(1);
  });
});
