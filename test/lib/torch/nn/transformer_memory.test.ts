// Tests what the layers of a transformer leave behind: they are made of layers, and free what passes between those,
// unless somebody can have kept it.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";
import { allocatedBytes, collectedBytes } from "../../../helpers/memory.ts";

const options = { dimFeedforward: 32, dropout: 0, batchFirst: true } as const;
const encoder = () => new nn.TransformerEncoderLayer(16, 2, options);

describe("a transformer's layers", () => {
  it("leave nothing behind but their output where nothing is recorded", () => {
    const memory = torch.ones([2, 5, 16]);
    const layers: [string, (x: Tensor) => Tensor][] = [
      ["encoder", encoder()],
      [
        "decoder",
        (
          (layer) => (x: Tensor) =>
            layer(x, memory)
        )(new nn.TransformerDecoderLayer(16, 2, options)),
      ],
      [
        "attention",
        (
          (layer) => (x: Tensor) =>
            layer(x, x, x, { needWeights: false })[0]
        )(new nn.MultiheadAttention(16, 2, { batchFirst: true })),
      ],
    ];
    const x = torch.ones([2, 5, 16]);
    for (const [name, layer] of layers) {
      torch.noGrad(() => layer(x)).dispose();
      const before = collectedBytes();
      const output = torch.noGrad(() => layer(x));
      expect([name, allocatedBytes() - before]).toEqual([name, output.nbytes]);
    }
  });

  it("free nothing that a hook, a layer of the user's or an activation of the user's was shown", () => {
    const shown: Tensor[] = [];
    const hooked = encoder();
    hooked.linear1.registerForwardHook((_, __, output) => void shown.push(output as Tensor));
    const x = torch.randn([2, 5, 16]);
    hooked(x);

    class Keeping extends nn.Linear {
      override forward(input: Tensor): Tensor {
        shown.push(input);
        return super.forward(input);
      }
    }
    const replaced = encoder();
    Object.assign(replaced, { linear2: new Keeping(32, 16) });
    replaced(x);

    const activation = (input: Tensor) => {
      shown.push(input);
      return input.tanh();
    };
    new nn.TransformerEncoderLayer(16, 2, { ...options, activation })(x);
    expect(shown.map((tensor) => tensor.isDisposed)).toEqual([false, false, false]);
  });

  it("lay an attention's output as PyTorch does, over which a dropout draws in that order", () => {
    const x = torch.randn([2, 5, 16]);
    const attend = (batchFirst: boolean, input: Tensor) =>
      new nn.MultiheadAttention(16, 2, { batchFirst })(input, input, input, { needWeights: false })[0];
    expect(attend(true, x).stride()).toEqual([16, 32, 1]);
    expect(attend(false, x).stride()).toEqual([80, 16, 1]);
    expect(attend(true, x.transpose(0, 1).contiguous().transpose(0, 1)).stride()).toEqual([16, 32, 1]);
    expect(encoder()(x).isContiguous()).toBe(true);
  });

  it("attend to themselves alike, however the input lies in memory", () => {
    const lying = torch.randn([2, 5, 16]);
    const across = lying.transpose(0, 1).contiguous().transpose(0, 1);
    const attention = new nn.MultiheadAttention(16, 2, { batchFirst: true });
    const masks = { keyPaddingMask: torch.arange(5).ge(4).expand([2, 5]), needWeights: false } as const;
    const [outputs, gradients] = [lying, across].reduce<[Tensor[], Tensor[]]>(
      ([made, grads], input) => {
        const leaf = input.detach().requiresGrad_();
        const [output] = attention(leaf, leaf, leaf, masks);
        output.square().sum().backward();
        return [
          [...made, output.detach()],
          [...grads, leaf.grad!],
        ];
      },
      [[], []],
    );
    for (const [a, b] of [outputs, gradients]) expect(a!.sub(b!).abs().max().item()).toBeLessThan(1e-5);
    const [weighed] = attention(lying, lying, lying, { ...masks, needWeights: true });
    expect(weighed.sub(outputs[0]!).abs().max().item()).toBeLessThan(1e-5);
  });

  it("give the same gradients through a checkpoint, which saves what they made", () => {
    const gradients = (run: (layer: nn.TransformerEncoderLayer, x: Tensor) => Tensor) => {
      torch.manualSeed(0);
      const layer = encoder();
      run(layer, torch.randn([2, 5, 16]))
        .square()
        .sum()
        .backward();
      return layer.parameters().map((parameter) => parameter.grad!.tolist());
    };
    expect(gradients((layer, x) => torch.checkpoint(layer, [x]))).toEqual(gradients((layer, x) => layer(x)));
  });
});
