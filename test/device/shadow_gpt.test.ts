// `lab.shadow` over a long run: a thousand steps of a small GPT, with the default sample, and no false alarm.
import { describe, expect, it } from "vitest";
import { functional as F, lab, nn, optim, torch, type Tensor } from "../../lib/index.ts";
import { device } from "./device_under_test.ts";

const [WIDTH, HEADS, LENGTH, VOCABULARY, BATCH] = [32, 2, 16, 65, 4];
const STEPS = 1000;

class Attention extends nn.Module {
  readonly qkv = new nn.Linear(WIDTH, 3 * WIDTH, { bias: false });
  readonly out = new nn.Linear(WIDTH, WIDTH, { bias: false });

  override forward(x: Tensor): Tensor {
    const heads = this.qkv(x)
      .split(WIDTH, 2)
      .map((part) => part.view([BATCH, LENGTH, HEADS, WIDTH / HEADS]).transpose(1, 2));
    const attended = F.scaledDotProductAttention(heads[0]!, heads[1]!, heads[2]!, { isCausal: true });
    return this.out(attended.transpose(1, 2).contiguous().view([BATCH, LENGTH, WIDTH]));
  }
}

class Block extends nn.Module {
  readonly norm1 = new nn.LayerNorm(WIDTH);
  readonly attention = new Attention();
  readonly norm2 = new nn.LayerNorm(WIDTH);
  readonly dense = new nn.Sequential(
    new nn.Linear(WIDTH, 4 * WIDTH),
    new nn.GELU(),
    new nn.Dropout(0.1),
    new nn.Linear(4 * WIDTH, WIDTH),
  );

  override forward(x: Tensor): Tensor {
    const attended = x.add(this.attention(this.norm1(x)));
    return attended.add(this.dense(this.norm2(attended)));
  }
}

class Gpt extends nn.Module {
  readonly tokens = new nn.Embedding(VOCABULARY, WIDTH);
  readonly positions = new nn.Embedding(LENGTH, WIDTH);
  readonly blocks = new nn.Sequential(new Block(), new Block());
  readonly norm = new nn.LayerNorm(WIDTH);
  readonly head = new nn.Linear(WIDTH, VOCABULARY, { bias: false });
  readonly places = new nn.Buffer(torch.arange(LENGTH));

  override forward(ids: Tensor): Tensor {
    return this.head(this.norm(this.blocks(this.tokens(ids).add(this.positions(this.places)))));
  }
}

describe.skipIf(device === "cpu")("a thousand steps of a small GPT", () => {
  it("agree with the CPU, each kind of call once at least, and the rest within a tenth of the time", () => {
    torch.manualSeed(0);
    const model = new Gpt().to(device);
    const optimizer = new optim.AdamW(model.parameters(), { lr: 1e-3 });
    const ids = torch.randint(0, VOCABULARY, [BATCH, LENGTH + 1]).to(device);
    const losses: Tensor[] = [];
    const found = lab.shadow(
      () => {
        optimizer.zeroGrad();
        const scores = model(ids.narrow(1, 0, LENGTH));
        const loss = F.crossEntropy(scores.reshape([-1, VOCABULARY]), ids.narrow(1, 1, LENGTH).reshape([-1]));
        loss.backward();
        optimizer.step();
        losses.push(loss.detach());
      },
      { device, steps: STEPS },
    );
    expect(losses.at(-1)!.item()).toBeLessThan(losses[0]!.item() / 10);
    for (const { kinds, comparedKinds, leftOut } of found.operators)
      if (leftOut === null) expect(comparedKinds).toBe(kinds);
    // A GPU has some of them in one.
    expect(found.calls).toBeGreaterThan(50 * STEPS);
    expect(found.compared).toBeGreaterThan(STEPS);
  });
});
