// The GPT that several programs train, as nanoGPT has it, in the size that they give. The twin of gpt.py.
import { functional as F, nn, torch, type Tensor } from "mpslab";

export interface GptSize {
  readonly width: number;
  readonly heads: number;
  /** Tokens of a sequence. */
  readonly length: number;
  readonly vocabulary: number;
  readonly layers: number;
}

class Attention extends nn.Module {
  readonly qkv: nn.Linear;
  readonly out: nn.Linear;
  readonly heads: number;

  constructor({ width, heads }: GptSize) {
    super();
    this.qkv = new nn.Linear(width, 3 * width, { bias: false });
    this.out = new nn.Linear(width, width, { bias: false });
    this.heads = heads;
  }

  override forward(x: Tensor): Tensor {
    const [batch, length, width] = x.shape as [number, number, number];
    const heads = this.qkv(x)
      .split(width, 2)
      .map((part) => part.view([batch, length, this.heads, width / this.heads]).transpose(1, 2));
    const attended = F.scaledDotProductAttention(heads[0]!, heads[1]!, heads[2]!, { isCausal: true });
    return this.out(attended.transpose(1, 2).contiguous().view([batch, length, width]));
  }
}

class Block extends nn.Module {
  readonly norm1: nn.LayerNorm;
  readonly attention: Attention;
  readonly norm2: nn.LayerNorm;
  readonly dense: nn.Sequential;

  constructor(size: GptSize) {
    super();
    const { width } = size;
    this.norm1 = new nn.LayerNorm(width);
    this.attention = new Attention(size);
    this.norm2 = new nn.LayerNorm(width);
    this.dense = new nn.Sequential(
      new nn.Linear(width, 4 * width),
      new nn.GELU(),
      new nn.Linear(4 * width, width),
    );
  }

  override forward(x: Tensor): Tensor {
    const attended = x.add(this.attention(this.norm1(x)));
    return attended.add(this.dense(this.norm2(attended)));
  }
}

export class Gpt extends nn.Module {
  readonly tokens: nn.Embedding;
  readonly positions: nn.Embedding;
  readonly blocks: nn.Sequential;
  readonly norm: nn.LayerNorm;
  readonly head: nn.Linear;
  readonly places: nn.Buffer;

  constructor(size: GptSize) {
    super();
    const { width, length, vocabulary, layers } = size;
    this.tokens = new nn.Embedding(vocabulary, width);
    this.positions = new nn.Embedding(length, width);
    this.blocks = new nn.Sequential(...Array.from({ length: layers }, () => new Block(size)));
    this.norm = new nn.LayerNorm(width);
    this.head = new nn.Linear(width, vocabulary, { bias: false });
    this.places = new nn.Buffer(torch.arange(length));
  }

  override forward(ids: Tensor): Tensor {
    return this.head(this.norm(this.blocks(this.tokens(ids).add(this.positions(this.places)))));
  }
}
