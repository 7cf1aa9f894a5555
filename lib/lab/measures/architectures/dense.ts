// Builds the architectures without images: an MLP, an LSTM, a transformer, a graph network. They are small, but use the
// typical operators of their kind, so that an operator that a device lacks shows here first.
import * as F from "../../../torch/nn/functional/index.ts";
import * as nn from "../../../torch/nn/index.ts";
import * as optim from "../../../torch/optim/index.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { torch } from "../../../torch/torch.ts";
import type { Architecture, Subject } from "./subject.ts";

/** Builds a subject with one model, one optimizer, and a loss computed from the model's output. */
export function trained(
  model: nn.Module,
  optimizer: Pick<optim.Adam, "zeroGrad" | "step">,
  loss: () => Tensor,
): Subject {
  return {
    models: [model],
    step() {
      optimizer.zeroGrad();
      const value = loss();
      value.backward();
      optimizer.step();
      return value;
    },
  };
}

export const mlp: Architecture = {
  name: "MLP",
  source: "784-256-10, ReLU, Adam",
  build(device) {
    const model = new nn.Sequential(new nn.Linear(784, 256), new nn.ReLU(), new nn.Linear(256, 10)).to(
      device,
    );
    const x = torch.randn([64, 784]).to(device);
    const target = torch.randint(0, 10, [64]).to(device);
    const optimizer = new optim.Adam(model.parameters());
    return trained(model, optimizer, () => F.crossEntropy(model(x), target));
  },
};

class SequenceClassifier extends nn.Module {
  readonly lstm = new nn.LSTM(32, 64, { numLayers: 2, batchFirst: true });
  readonly head = new nn.Linear(64, 10);

  override forward(x: Tensor): Tensor {
    return this.head(this.lstm(x)[0].select(1, -1));
  }
}

export const lstm: Architecture = {
  name: "LSTM",
  source: "two layers of 64, 24 steps, last state classified, Adam, gradients clipped",
  build(device) {
    const model = new SequenceClassifier().to(device);
    const x = torch.randn([32, 24, 32]).to(device);
    const target = torch.randint(0, 10, [32]).to(device);
    const optimizer = new optim.Adam(model.parameters());
    return {
      models: [model],
      step() {
        optimizer.zeroGrad();
        const loss = F.crossEntropy(model(x), target);
        loss.backward();
        nn.utils.clipGradNorm_(model.parameters(), 1);
        optimizer.step();
        return loss;
      },
    };
  },
};

const VOCABULARY = 64;
const SEQUENCE = 32;

/** Predicts the next token: embedding, causal attention, LayerNorm, GELU (Vaswani et al., arXiv:1706.03762). */
class LanguageModel extends nn.Module {
  readonly tokens = new nn.Embedding(VOCABULARY, 64);
  readonly positions = new nn.Embedding(SEQUENCE, 64);
  readonly layers = new nn.ModuleList(
    [0, 1].map(
      () =>
        new nn.TransformerEncoderLayer(64, 4, {
          dimFeedforward: 128,
          dropout: 0,
          activation: "gelu",
          batchFirst: true,
          normFirst: true,
        }),
    ),
  );
  readonly norm = new nn.LayerNorm(64);
  readonly head = new nn.Linear(64, VOCABULARY);

  override forward(ids: Tensor, positions: Tensor, mask: Tensor): Tensor {
    let x = this.tokens(ids).add(this.positions(positions));
    for (const layer of this.layers) x = layer(x, { srcMask: mask });
    return this.head(this.norm(x));
  }
}

export const transformer: Architecture = {
  name: "transformer",
  source: "two causal layers of 64, four heads, AdamW (arXiv:1706.03762)",
  build(device) {
    const model = new LanguageModel().to(device);
    const ids = torch.randint(0, VOCABULARY, [16, SEQUENCE]).to(device);
    const next = torch.randint(0, VOCABULARY, [16 * SEQUENCE]).to(device);
    const positions = torch.arange(SEQUENCE).to(device);
    const mask = torch.full([SEQUENCE, SEQUENCE], Number.NEGATIVE_INFINITY).triu(1).to(device);
    const optimizer = new optim.AdamW(model.parameters());
    return trained(model, optimizer, () =>
      F.crossEntropy(model(ids, positions, mask).view([-1, VOCABULARY]), next),
    );
  },
};

const NODES = 200;
const EDGES = 800;

/**
 * Messages over edges, gathered and added at their nodes (Kipf and Welling, arXiv:1609.02907, with a mean in place of
 * their normalization).
 */
class GraphNetwork extends nn.Module {
  readonly first = new nn.Linear(16, 32);
  readonly second = new nn.Linear(32, 4);

  override forward(x: Tensor, from: Tensor, to: Tensor, degree: Tensor): Tensor {
    const spread = (h: Tensor) => torch.zerosLike(h).indexAdd(0, to, h.indexSelect(0, from)).div(degree);
    return this.second(spread(this.first(spread(x)).relu()));
  }
}

export const graphNetwork: Architecture = {
  name: "graph network",
  source: "two rounds of messages over 800 edges, gather and index_add, Adam (arXiv:1609.02907)",
  build(device) {
    const model = new GraphNetwork().to(device);
    const x = torch.randn([NODES, 16]).to(device);
    const from = torch.randint(0, NODES, [EDGES]).to(device);
    const to = torch.randint(0, NODES, [EDGES]).to(device);
    const ones = torch.ones([EDGES, 1]).to(device);
    const degree = torch.zeros([NODES, 1]).to(device).indexAdd(0, to, ones).clampMin(1);
    const target = torch.randint(0, 4, [NODES]).to(device);
    const optimizer = new optim.Adam(model.parameters());
    return trained(model, optimizer, () => F.crossEntropy(model(x, from, to, degree), target));
  },
};
