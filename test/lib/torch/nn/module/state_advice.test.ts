// A state whose keys are not the module's: the error names the prefix or the key, and the call that it gives loads the state.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../../lib/index.ts";

const { lrScheduler } = optim;
const build = () => new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU(), new nn.Linear(2, 1));
const saved = build().stateDict();
const renamed = (rename: (key: string) => string): Record<string, Tensor> =>
  Object.fromEntries(Object.entries(saved).map(([key, value]) => [rename(key), value]));

const messageOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

const cases: Record<string, [state: object, model: () => nn.Module, named: string]> = {
  "saved of a parallel model": [
    renamed((key) => `module.${key}`),
    build,
    `The state's keys begin with "module.", the module's do not: `,
  ],
  "saved of a compiled model": [
    renamed((key) => `_orig_mod.${key}`),
    build,
    `The state's keys begin with "_orig_mod.", the module's do not: `,
  ],
  "saved of a compiled parallel model": [
    renamed((key) => `_orig_mod.module.${key}`),
    build,
    `The state's keys begin with "_orig_mod.module.", the module's do not: `,
  ],
  "saved of a model with compiled layers": [
    renamed((key) => key.replace(".", "._orig_mod.")),
    build,
    `Keys of the state have "_orig_mod.", which torch.compile put there: `,
  ],
  "saved of a larger model": [
    renamed((key) => `backbone.${key}`),
    build,
    `The state's keys begin with "backbone.", the module's do not: `,
  ],
  "of the model inside of a wrapper": [
    saved,
    () => new nn.ModuleDict({ module: build() }),
    `The module's keys begin with "module.", the state's do not: `,
  ],
  "in a checkpoint": [
    { best: torch.ones([]), model: saved, optimizer: { state: {}, param_groups: [] } },
    build,
    "It is a whole checkpoint: ",
  ],
  "in Lightning's checkpoint": [
    { epoch: 3, state_dict: renamed((key) => `model.${key}`), "pytorch-lightning_version": "2.5" },
    build,
    `It is a whole checkpoint: take state.state_dict. The state's keys begin with "model.", the module's do not: `,
  ],
  "in a checkpoint under a key that is no name": [
    { "model-best": saved },
    build,
    "It is a whole checkpoint: ",
  ],
};

describe.each([true, false])("loadStateDict, strict %s, of a state", (strict) => {
  it.each(Object.entries(cases))("%s names what is to be taken away, and how", (_, [state, make, named]) => {
    const model = make();
    const before = JSON.stringify(Object.values(model.stateDict()).map((each) => each.tolist()));
    const message = messageOf(() => model.loadStateDict(state as never, { strict }));
    expect(message).toContain(`Nothing was loaded. ${named}model.loadStateDict(`);
    expect(message).not.toContain("strict: false");
    expect(JSON.stringify(Object.values(model.stateDict()).map((each) => each.tolist()))).toBe(before);
    const call = /model\.loadStateDict\(.*?\)(?=\.$|\. |, or )/.exec(message)![0];
    const loaded: unknown = new Function("model", "state", `return ${call}`)(model, state);
    expect(loaded).toEqual({ missingKeys: [], unexpectedKeys: [] });
    expect(Object.values(model.stateDict()).map((each) => each.tolist())).toEqual(
      Object.values(saved).map((each) => each.tolist()),
    );
  });
});

describe("a load that is not strict", () => {
  it.each<[string, Record<string, Tensor>]>([
    ["of nothing", {}],
    ["of another model", { scale: torch.ones([1]) }],
  ])("%s is an error, and no random weights in silence", (_, state) => {
    expect(() => build().loadStateDict(state, { strict: false })).toThrow(
      new RangeError(
        "loadStateDict of Sequential: the state has none of the module's 4 tensors. Nothing was loaded. They have no key in common.",
      ),
    );
  });

  it("is an error where the module has hooks, too", () => {
    const model = build();
    model.registerLoadStateDictPostHook(() => {});
    const state = renamed((key) => `module.${key}`);
    expect(() => model.loadStateDict(state, { strict: false })).toThrow(
      /none of the module's 4 tensors\. What fits was loaded.*begin with "module\."/,
    );
  });

  it("is none for a module without tensors", () => {
    expect(new nn.ReLU().loadStateDict({}, { strict: false }).missingKeys).toEqual([]);
  });
});

it("a model in the place of its state is told to give it", () => {
  expect(() => build().loadStateDict(build() as never)).toThrow(
    "expected an object of tensors by path, got a Sequential: pass its stateDict().",
  );
});

it("an optimizer, a schedule and a scaler name the part of a checkpoint that is theirs", () => {
  const optimizer = new optim.Adam(build().parameters(), { lr: 1 });
  const scaler = new torch.amp.GradScaler();
  const checkpoint = {
    model: saved,
    optimizer: optimizer.stateDict(),
    scheduler: new lrScheduler.StepLR(optimizer, 2).stateDict(),
    scaler: scaler.stateDict(),
  } as never;
  expect(() => optimizer.loadStateDict(checkpoint)).toThrow(
    "It is a whole checkpoint: pass state.optimizer.",
  );
  expect(() => new lrScheduler.StepLR(optimizer, 2).loadStateDict(checkpoint)).toThrow(
    "It is a whole checkpoint: pass state.scheduler.",
  );
  expect(() => scaler.loadStateDict(checkpoint)).toThrow("It is a whole checkpoint: pass state.scaler.");
});
