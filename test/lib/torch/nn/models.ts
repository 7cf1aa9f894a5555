// Models of a user's own, for the tests of modules and state dicts.
import { nn, torch, type Tensor } from "../../../../lib/index.ts";

export class Block extends nn.Module {
  readonly norm = new nn.LayerNorm(4);
  readonly scale = new nn.Parameter(torch.ones([1]));
  readonly steps = new nn.Buffer(torch.zeros([], { dtype: "int64" }));
  readonly scratch = new nn.Buffer(torch.zeros([2]), { persistent: false });
  readonly notMine = torch.randn([3]).requiresGrad_();

  override forward(input: Tensor): Tensor {
    return this.norm(input).mul(this.scale);
  }
}

export class Model extends nn.Module {
  readonly blocks = [new Block(), new Block()];
  readonly head = new nn.Linear(4, 2, { bias: false });
  override readonly name = "a model may have a name";

  override forward(input: Tensor, times: number): Tensor {
    let hidden = input;
    for (let i = 0; i < times; i++) for (const block of this.blocks) hidden = block(hidden);
    return this.head(hidden);
  }
}
