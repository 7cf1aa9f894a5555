// A generator draws for tensors of its own kind of device, as PyTorch has it: another's is refused, both ways, by all that
// takes one.
import { describe, expect, it } from "vitest";
import { data, DeviceMismatchError, nn, torch } from "../../lib/index.ts";
import type { Generator } from "../../lib/torch/random/generator.ts";
import type { DeviceName } from "../../lib/torch/vocabulary/device_name.ts";
import { device, queues } from "./device_under_test.ts";

type Draw = (generator: Generator, on: DeviceName) => unknown;

const ones = (on: DeviceName) => torch.ones([4, 4], { device: on });
const draws: Record<string, Draw> = {
  rand: (generator, on) => torch.rand([2], { generator, device: on }),
  randn: (generator, on) => torch.randn([2], { generator, device: on }),
  randperm: (generator, on) => torch.randperm(4, { generator, device: on }),
  randint: (generator, on) => torch.randint(0, 4, [2], { generator, device: on }),
  normal: (generator, on) => torch.normal(0, 1, [2], { generator, device: on }),
  "normal of tensors": (generator, on) => torch.normal(ones(on), ones(on), { generator }),
  multinomial: (generator, on) => torch.multinomial(ones(on), 2, { generator }),
  bernoulli: (generator, on) => torch.bernoulli(ones(on), { generator }),
  poisson: (generator, on) => torch.poisson(ones(on), { generator }),
  normal_: (generator, on) => ones(on).normal_(0, 1, { generator }),
  uniform_: (generator, on) => ones(on).uniform_(0, 1, { generator }),
  random_: (generator, on) => ones(on).random_({ generator }),
  exponential_: (generator, on) => ones(on).exponential_(1, { generator }),
  bernoulli_: (generator, on) => ones(on).bernoulli_(0.5, { generator }),
  cauchy_: (generator, on) => ones(on).cauchy_(0, 1, { generator }),
  geometric_: (generator, on) => ones(on).geometric_(0.5, { generator }),
  logNormal_: (generator, on) => ones(on).logNormal_(0, 1, { generator }),
  "init.kaimingUniform_": (generator, on) => nn.init.kaimingUniform_(ones(on), { generator }),
  "init.truncNormal_": (generator, on) => nn.init.truncNormal_(ones(on), { generator }),
};

describe.skipIf(!queues)(`a generator, ${device} and the CPU`, () => {
  const ways = [
    [device, "cpu"],
    ["cpu", device],
  ] as const;
  describe.each(ways)("draws on %s, generator of %s:", (on, own) => {
    it.each(Object.entries(draws))("%s refuses it, and draws by one of its own device", (_, draw) => {
      const call = () => draw(new torch.Generator(own).manualSeed(1), on);
      expect(call).toThrow(DeviceMismatchError);
      expect(call).toThrow(`Expected a '${on}' device type for generator but found '${own}'`);
      expect(call).toThrow(`Make the generator with new torch.Generator("${on}").`);
      expect(() => draw(new torch.Generator(on).manualSeed(1), on)).not.toThrow();
    });
  });

  it("is refused where the default device is another, and draws nothing", () => {
    const generator = new torch.Generator().manualSeed(1);
    try {
      torch.setDefaultDevice(device);
      expect(() => torch.randn([2], { generator })).toThrow(DeviceMismatchError);
    } finally {
      torch.setDefaultDevice("cpu");
    }
    expect(torch.rand([3], { generator }).tolist()).toEqual(
      torch.rand([3], { generator: new torch.Generator().manualSeed(1) }).tolist(),
    );
  });

  it("of a loader is of the CPU, where indices are drawn", () => {
    const generator = new torch.Generator(device);
    expect(() => new data.DataLoader([1, 2], { shuffle: true, generator })).toThrow(
      "indices are drawn on the CPU",
    );
    expect(() => data.randomSplit(new data.TensorDataset(ones("cpu")), [2, 2], generator)).toThrow(
      "indices are drawn on the CPU",
    );
  });
});
