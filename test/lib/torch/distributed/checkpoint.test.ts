// distributed.checkpoint: one safetensors file a rank and one index, whole or not there, read by any number of ranks.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { distributed, nn, torch } from "../../../../lib/index.ts";
import { Ranks, type RankScope } from "./ranks.ts";

let three: Ranks;
beforeAll(async () => {
  three = await Ranks.connect(3);
});
afterAll(() => three.stop());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "checkpoint-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const indexOf = (of: string) =>
  JSON.parse(readFileSync(path.join(of, "model.safetensors.index.json"), "utf8")) as unknown;

/** The same on every rank, as data parallel has it. */
function saveModel({
  torch: t,
  nn: n,
  distributed: d,
  argument,
}: RankScope<readonly [string, number]>): void {
  t.manualSeed(argument[1]);
  const model = new n.Sequential(new n.Linear(4, 8), new n.Linear(8, 4), new n.Linear(4, 4));
  d.checkpoint.save(model.stateDict(), { checkpointId: argument[0] });
}

function modelOf(seed: number) {
  torch.manualSeed(seed);
  return new nn.Sequential(new nn.Linear(4, 8), new nn.Linear(8, 4), new nn.Linear(4, 4));
}

const values = (tensors: Readonly<Record<string, { tolist(): unknown }>>) =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, tensor.tolist()]));

describe("distributed.checkpoint", () => {
  it("writes a file on each rank, and an index of Hugging Face's form", async () => {
    await three.values(saveModel, [folder, 1]);
    expect(readdirSync(folder).toSorted()).toEqual([
      "model-00001-of-00003.safetensors",
      "model-00002-of-00003.safetensors",
      "model-00003-of-00003.safetensors",
      "model.safetensors.index.json",
    ]);
    expect(indexOf(folder)).toEqual({
      metadata: { total_size: 4 * (32 + 8 + 32 + 4 + 16 + 4) },
      weight_map: {
        "0.bias": "model-00003-of-00003.safetensors",
        "0.weight": "model-00001-of-00003.safetensors",
        "1.bias": "model-00003-of-00003.safetensors",
        "1.weight": "model-00002-of-00003.safetensors",
        "2.bias": "model-00003-of-00003.safetensors",
        "2.weight": "model-00003-of-00003.safetensors",
      },
    });
  });

  it("is loaded whole on one process, by its index or into a model", async () => {
    await three.values(saveModel, [folder, 1]);
    const whole = torch.load(path.join(folder, "model.safetensors.index.json"));
    const expected = values(modelOf(1).stateDict());
    expect(values(whole)).toEqual(expected);
    const model = modelOf(2);
    distributed.checkpoint.load(model.stateDict(), { checkpointId: folder });
    expect(values(model.stateDict())).toEqual(expected);
  });

  it("saves alone what other numbers of ranks load, each what it asks for", async () => {
    const model = modelOf(1);
    distributed.checkpoint.save(model.stateDict(), { checkpointId: folder });
    expect(readdirSync(folder)).toContain("model-00001-of-00001.safetensors");
    const got = await three.values(({ torch: t, distributed: d, rank, argument }) => {
      const bias = t.zeros([4]);
      d.checkpoint.load({ [`${(rank % 2) + 1}.bias`]: bias }, { checkpointId: argument });
      return bias.tolist();
    }, folder);
    const saved = values(model.stateDict());
    expect(got).toEqual([saved["1.bias"], saved["2.bias"], saved["1.bias"]]);
  });

  it("keeps tensors that one rank alone has", async () => {
    await three.values(
      ({ torch: t, distributed: d, rank, argument }) =>
        d.checkpoint.save(
          { [`state.${rank}`]: t.full([2], rank, { dtype: "bfloat16" }) },
          { checkpointId: argument },
        ),
      folder,
    );
    expect(values(torch.load(path.join(folder, "model.safetensors.index.json")))).toEqual({
      "state.0": [0, 0],
      "state.1": [1, 1],
      "state.2": [2, 2],
    });
  });

  it("replaces an earlier checkpoint at once: files lie beside it until the index names them", async () => {
    await three.values(saveModel, [folder, 1]);
    await three.values(saveModel, [folder, 2]);
    expect(readdirSync(folder).toSorted()).toEqual([
      "model-b-00001-of-00003.safetensors",
      "model-b-00002-of-00003.safetensors",
      "model-b-00003-of-00003.safetensors",
      "model.safetensors.index.json",
    ]);
    expect(values(torch.load(path.join(folder, "model.safetensors.index.json")))).toEqual(
      values(modelOf(2).stateDict()),
    );
  });

  it("leaves the earlier checkpoint whole where a rank cannot write, and says so on all", async () => {
    await three.values(saveModel, [folder, 1]);
    // A folder in the place of the second rank's file.
    await three.values(async ({ rank, argument }) => {
      const fs = process.getBuiltinModule("node:fs");
      if (rank === 1) fs.mkdirSync(`${argument}/model-b-00002-of-00003.safetensors`);
    }, folder);
    const outcomes = await three.run(saveModel, [folder, 2] as const);
    const reason = `saveSafetensors: ${folder}/model-b-00002-of-00003.safetensors is a folder, not a file.`;
    expect(outcomes.map(({ error }) => error?.message)).toEqual([
      `distributed.checkpoint.save: rank 1 failed: ${reason}`,
      reason,
      `distributed.checkpoint.save: rank 1 failed: ${reason}`,
    ]);
    expect(values(torch.load(path.join(folder, "model.safetensors.index.json")))).toEqual(
      values(modelOf(1).stateDict()),
    );
  });

  it("leaves no index where a rank is killed before all have written", async () => {
    const ranks = await Ranks.connect(2, 4000);
    try {
      const outcomes = await ranks.run(({ torch: t, distributed: d, rank, argument }) => {
        if (rank === 1) process.kill(process.pid, "SIGKILL");
        d.checkpoint.save({ weight: t.ones([2]) }, { checkpointId: argument });
      }, folder);
      expect(outcomes[0]?.error?.message).toBe(
        "distributed.checkpoint.save: rank 0 waited 4000 ms for the folder of rank 1.",
      );
      expect(readdirSync(folder)).toEqual([]);
      expect(() => distributed.checkpoint.load({}, { checkpointId: folder })).toThrow(
        `distributed.checkpoint.load: there is no model.safetensors.index.json in ${folder}: no checkpoint was saved there to its end.`,
      );
    } finally {
      await ranks.stop();
    }
  });

  it("refuses other tensors of one name, on all ranks", async () => {
    const outcomes = await three.run(
      ({ torch: t, distributed: d, rank, argument }) =>
        d.checkpoint.save({ weight: t.ones([rank < 2 ? 2 : 3]) }, { checkpointId: argument }),
      folder,
    );
    for (const { error } of outcomes)
      expect(error?.message).toBe(
        'distributed.checkpoint.save: "weight" is float32 [2] on rank 0 of the group, and float32 [3] on rank 2: give other tensors other names.',
      );
    expect(existsSync(path.join(folder, "model.safetensors.index.json"))).toBe(false);
  });

  it("refuses what it cannot load, and loads nothing", () => {
    const model = modelOf(1);
    distributed.checkpoint.save(model.stateDict(), { checkpointId: folder });
    const load = (tensors: Parameters<typeof distributed.checkpoint.load>[0]) => () =>
      distributed.checkpoint.load(tensors, { checkpointId: folder });
    const bias = torch.zeros([4]);
    expect(load({ "1.bias": bias, other: torch.zeros([1]) })).toThrow(
      `distributed.checkpoint.load: ${folder}/model.safetensors.index.json has no "other". Nothing was loaded.`,
    );
    expect(load({ "1.bias": bias, "0.bias": torch.zeros([4]) })).toThrow(
      'distributed.checkpoint.load: "0.bias" is [8] in model-00001-of-00001.safetensors, and [4] here. Nothing was loaded.',
    );
    expect(bias.tolist()).toEqual([0, 0, 0, 0]);
    expect(load({ epoch: 3 } as never)).toThrow(
      'distributed.checkpoint.load: expected tensors by their names, as model.stateDict() gives, but "epoch" is 3.',
    );
    expect(() => distributed.checkpoint.save({}, {} as never)).toThrow(
      'distributed.checkpoint.save: pass the folder as { checkpointId: "checkpoints/3" }.',
    );
  });

  it("refuses an index that names files elsewhere", () => {
    const index = path.join(folder, "model.safetensors.index.json");
    writeFileSync(index, JSON.stringify({ weight_map: { weight: "../secret.safetensors" } }));
    expect(() => torch.load(index)).toThrow(
      `${index} cannot be loaded: "weight" must lie in a .safetensors file beside it, not in "../secret.safetensors".`,
    );
    writeFileSync(index, "{}");
    expect(() => torch.load(index)).toThrow(
      `${index} cannot be loaded: it has no weight_map, which says the file of each tensor.`,
    );
  });
});
