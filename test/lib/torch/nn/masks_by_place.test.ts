// Masks of transformers and of attention stand at PyTorch's places, or go by name: both give the same numbers.
import { describe, expect, it } from "vitest";
import { nn, torch, type Tensor } from "../../../../lib/index.ts";

const same = (a: Tensor, b: Tensor): boolean => torch.equal(a, b) as unknown as boolean;
const options = { dimFeedforward: 8, dropout: 0 };
const x = torch.randn([5, 2, 4]);
const y = torch.randn([3, 2, 4]);
const causal = nn.Transformer.generateSquareSubsequentMask(5);
const own = nn.Transformer.generateSquareSubsequentMask(3);
const between = torch.zeros([3, 5]);
between.setAt(torch.slice(null), 4, -Infinity);
const padding = torch.tensor([
  [false, false, false, false, true],
  [false, false, false, false, false],
]);

describe("masks by place", () => {
  it("are those of an encoder and of its layer", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, options);
    const encoder = new nn.TransformerEncoder(layer, 2);
    expect(
      same(
        layer(x, causal, padding, true),
        layer(x, { srcMask: causal, srcKeyPaddingMask: padding, isCausal: true }),
      ),
    ).toBe(true);
    expect(same(encoder(x, causal, padding), encoder(x, { mask: causal, srcKeyPaddingMask: padding }))).toBe(
      true,
    );
    expect(
      same(encoder(x, null, { srcKeyPaddingMask: padding }), encoder(x, { srcKeyPaddingMask: padding })),
    ).toBe(true);
    expect(same(encoder(x, causal), encoder(x))).toBe(false);
  });

  it("are those of a decoder and of the whole", () => {
    const decoder = new nn.TransformerDecoder(new nn.TransformerDecoderLayer(4, 2, options), 1);
    expect(
      same(
        decoder(y, x, own, between, null, padding),
        decoder(y, x, { tgtMask: own, memoryMask: between, memoryKeyPaddingMask: padding }),
      ),
    ).toBe(true);
    const model = new nn.Transformer(4, 2, 1, 1, options);
    const named = { srcMask: causal, tgtMask: own, memoryMask: between, srcKeyPaddingMask: padding };
    expect(same(model(x, y, causal, own, between, padding), model(x, y, named))).toBe(true);
    expect(same(model(x, y, causal, own), model(x, y))).toBe(false);
  });

  it("are those of attention, whose needed arguments go by name too", () => {
    const attention = new nn.MultiheadAttention(4, 2);
    const [placed, weights] = attention(x, x, x, padding, true, causal, false);
    const [named, same_] = attention({
      query: x,
      key: x,
      value: x,
      keyPaddingMask: padding,
      attnMask: causal,
      averageAttnWeights: false,
    });
    expect(same(placed, named)).toBe(true);
    expect(weights.shape).toEqual([2, 2, 5, 5]);
    expect(same(weights, same_)).toBe(true);
    expect(attention(x, x, x, null, false)[1]).toBe(null);
  });

  it("are refused where they are no tensors", () => {
    const layer = new nn.TransformerEncoderLayer(4, 2, options);
    expect(() => layer(x, 3 as never)).toThrow(
      "TransformerEncoderLayer: srcMask must be a tensor or null, got 3.",
    );
    expect(() => layer(x, causal, { srcMask: causal } as never)).toThrow("srcMask is given twice");
  });
});
