// Hooks of modules on their state dicts: when they run, what they see and what they may change. The order is that which
// PyTorch 2.15 printed of the same module.
import { expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../../lib/index.ts";
import { refuses } from "../../tensor/misuse.ts";

class Net extends nn.Module {
  readonly a = new nn.Linear(1, 1);
  readonly b = new nn.Sequential(new nn.Linear(1, 1));
  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

const places = (net: Net): [string, nn.Module][] => [
  ["root", net],
  ["a", net.a],
  ["b", net.b],
  ["b.0", net.b[0]!],
];

it("writing goes from module to module, children between a module's two hooks", () => {
  const net = new Net();
  const log: unknown[] = [];
  for (const [name, module] of places(net)) {
    module.registerStateDictPreHook((_, prefix, keepVars) => void log.push(["pre", name, prefix, keepVars]));
    module.registerStateDictPostHook(
      (_, state, prefix) => void log.push(["post", name, prefix, Object.keys(state).join(" ")]),
    );
  }
  const state = net.stateDict();
  const all = "a.weight a.bias b.0.weight b.0.bias";
  expect(log).toEqual([
    ["pre", "root", "", false],
    ["pre", "a", "a.", false],
    ["post", "a", "a.", "a.weight a.bias"],
    ["pre", "b", "b.", false],
    ["pre", "b.0", "b.0.", false],
    ["post", "b.0", "b.0.", all],
    ["post", "b", "b.", all],
    ["post", "root", "", all],
  ]);
  expect(Object.keys(state).join(" ")).toBe(all);
});

it("reading does, too: a module's hook after it finds its values, and the keys that were wrong so far", () => {
  const net = new Net();
  const log: unknown[] = [];
  for (const [name, module] of places(net)) {
    module.registerLoadStateDictPreHook((_, state, prefix, metadata, strict, missing, unexpected, errors) => {
      expect(metadata).toEqual({});
      log.push(["pre", name, prefix, Object.keys(state), strict, [...missing], [...unexpected], [...errors]]);
    });
    module.registerLoadStateDictPostHook((_, { missingKeys, unexpectedKeys }) => {
      log.push(["post", name, [...missingKeys], [...unexpectedKeys], (net.b[0] as nn.Linear).weight.item()]);
    });
  }
  nn.init.zeros_((net.b[0] as nn.Linear).weight);
  const state = new Net().stateDict();
  state["b.0.weight"] = torch.ones([1, 1]);
  delete state["a.bias"];
  state["a.more"] = torch.ones([1]);
  state["other"] = torch.ones([1]);
  const wrong = { missingKeys: ["a.bias"], unexpectedKeys: ["other", "a.more"] };
  expect(net.loadStateDict(state, { strict: false })).toEqual(wrong);
  const { missingKeys, unexpectedKeys } = wrong;
  const ofB = ["b.0.weight", "b.0.bias"];
  expect(log).toEqual([
    ["pre", "root", "", ["a.weight", ...ofB, "a.more", "other"], false, [], [], []],
    ["pre", "a", "a.", ["a.weight", "a.more"], false, [], ["other"], []],
    ["post", "a", missingKeys, unexpectedKeys, 0],
    ["pre", "b", "b.", ofB, false, missingKeys, unexpectedKeys, []],
    ["pre", "b.0", "b.0.", ofB, false, missingKeys, unexpectedKeys, []],
    ["post", "b.0", missingKeys, unexpectedKeys, 1],
    ["post", "b", missingKeys, unexpectedKeys, 1],
    ["post", "root", missingKeys, unexpectedKeys, 1],
  ]);
});

it("a hook before reading renames the keys of an older version", () => {
  const net = new Net();
  net.a.registerLoadStateDictPreHook((_, state, prefix) => {
    if (`${prefix}gamma` in state) state[`${prefix}weight`] = state[`${prefix}gamma`]!;
    delete state[`${prefix}gamma`];
  });
  const { "a.weight": weight, ...others } = new Net().stateDict();
  const older = { ...others, "a.gamma": weight! };
  expect(net.loadStateDict(older)).toEqual({ missingKeys: [], unexpectedKeys: [] });
  expect(net.a.weight.item()).toBe(weight!.item());
  expect(Object.keys(older)).toContain("a.gamma");
});

it("a hook after writing adds what the module has beside tensors, and one after reading takes it", () => {
  const net = new Net();
  net.registerStateDictPostHook((_, state, prefix) => {
    state[`${prefix}scale`] = torch.tensor([3]);
  });
  const state = net.stateDict();
  expect(state["scale"]!.tolist()).toEqual([3]);
  net.registerLoadStateDictPostHook((_, { unexpectedKeys }) => {
    unexpectedKeys.splice(unexpectedKeys.indexOf("scale"), 1);
  });
  expect(net.loadStateDict(state)).toEqual({ missingKeys: [], unexpectedKeys: [] });
});

it("a hook before writing may change what is written", () => {
  const layer = new nn.Linear(1, 1);
  layer.registerStateDictPreHook((module) => void nn.init.ones_(module.weight));
  expect(layer.stateDict()["weight"]!.item()).toBe(1);
});

it("each handle removes its own, and a module without hooks loads all or nothing again", () => {
  const layer = new nn.Linear(1, 1);
  let ran = 0;
  const count = () => void ran++;
  const [first] = [layer.registerStateDictPreHook(count), layer.registerStateDictPreHook(count)];
  layer.stateDict();
  first.remove();
  first.remove();
  layer.stateDict();
  expect(ran).toBe(3);
});

it("the keys of modules in fields and lists are PyTorch's", () => {
  class Listed extends nn.Module {
    readonly someLayers = [new nn.BatchNorm1d(1)];
    override forward(x: Tensor): Tensor {
      return x;
    }
  }
  const prefixes: string[] = [];
  const net = new Listed();
  net.someLayers[0]!.registerStateDictPostHook((_, state, prefix) => {
    prefixes.push(prefix, ...Object.keys(state));
  });
  net.stateDict();
  expect(prefixes).toEqual([
    "some_layers.0.",
    "some_layers.0.weight",
    "some_layers.0.bias",
    "some_layers.0.running_mean",
    "some_layers.0.running_var",
    "some_layers.0.num_batches_tracked",
  ]);
});

const hooked = () => {
  const layer = new nn.Linear(1, 1);
  layer.registerLoadStateDictPostHook(() => {});
  return layer;
};
const weight = torch.ones([1, 1]);
const bias = torch.ones([1]);

refuses([
  [
    "what is no function",
    () => new nn.ReLU().registerStateDictPreHook(1 as never),
    "TypeError",
    "ReLU.registerStateDictPreHook: expected a function, got 1.",
  ],
  [
    "a hook that returns a state dict",
    () => {
      const layer = new nn.Linear(1, 1);
      layer.registerStateDictPostHook(((_: unknown, state: object) => ({ ...state })) as never);
      layer.stateDict();
    },
    "TypeError",
    "Linear.registerStateDictPostHook: the hook must change what it is given in place and return nothing, but it returned an object...",
  ],
  [
    "missing and unexpected keys, after the hooks",
    () => hooked().loadStateDict({ weight, other: bias }),
    "RangeError",
    'loadStateDict of Linear: the state has no "bias"; the module has no "other". What fits was loaded, since hooks of the module are to see it. A hook of registerLoadStateDictPreHook may rename keys.',
  ],
  [
    "another shape",
    () => hooked().loadStateDict({ weight: torch.ones([2, 1]), bias }),
    "RangeError",
    'loadStateDict of Linear: "weight" is [2, 1] in the state and [1, 1] in the module. ...',
  ],
  [
    "what is no tensor",
    () => hooked().loadStateDict({ weight, bias: 1 as never }),
    "TypeError",
    'loadStateDict of Linear: "bias" must be a tensor, got 1.',
  ],
  [
    "a key that a hook adds to the missing ones",
    () => {
      const layer = hooked();
      layer.registerLoadStateDictPreHook((_, __, prefix, ___, ____, missing) => {
        missing.push(`${prefix}more`);
      });
      layer.loadStateDict({ weight, bias });
    },
    "RangeError",
    'loadStateDict of Linear: the state has no "more"...',
  ],
  [
    "no state at all",
    () => hooked().loadStateDict(null as never),
    "TypeError",
    "loadStateDict of Linear: expected an object of tensors by path, got null.",
  ],
]);
