// Activations, norms, dropout, embeddings and losses, made as in test/fixtures/layers.py.
import { functional as F, nn, torch } from "../../../../../lib/index.ts";
import type { Build } from "./recorded.ts";

export const FEATURES: Record<string, Build> = {
  CELU: { make: () => new nn.CELU(0.5) },
  GLU: { make: () => new nn.GLU() },
  Hardshrink: { make: () => new nn.Hardshrink(0.3) },
  Hardtanh: { make: () => new nn.Hardtanh(-0.5, 0.25) },
  "PReLU channels": { make: () => new nn.PReLU(4, { init: 0.1 }) },
  RReLU: { make: () => new nn.RReLU() },
  "RReLU evaluated": { make: () => new nn.RReLU(0.2, 0.6), evaluate: true },
  Softmax2d: { make: () => new nn.Softmax2d() },
  Softmin: { make: () => new nn.Softmin(1) },
  Softshrink: { make: () => new nn.Softshrink(0.3) },
  Softsign: { make: () => new nn.Softsign() },
  Tanhshrink: { make: () => new nn.Tanhshrink() },
  Threshold: { make: () => new nn.Threshold(0.1, 20) },
  AdaptiveLogSoftmaxWithLoss: {
    make: () => new nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], { divValue: 2, headBias: true }),
    run: (layer: nn.AdaptiveLogSoftmaxWithLoss, x, target) => {
      const { output, loss } = layer(x, target);
      return [output, loss];
    },
  },
  "BatchNorm1d length": { make: () => new nn.BatchNorm1d(4) },
  "BatchNorm2d evaluated": { make: () => new nn.BatchNorm2d(4), evaluate: true },
  "BatchNorm2d untracked": { make: () => new nn.BatchNorm2d(4, { trackRunningStats: false }) },
  InstanceNorm1d: { make: () => new nn.InstanceNorm1d(4) },
  "InstanceNorm1d without batch": { make: () => new nn.InstanceNorm1d(4, { affine: true }) },
  InstanceNorm2d: { make: () => new nn.InstanceNorm2d(4, { affine: true, trackRunningStats: true }) },
  InstanceNorm3d: { make: () => new nn.InstanceNorm3d(2) },
  "LayerNorm without bias": { make: () => new nn.LayerNorm(6, { bias: false }) },
  LocalResponseNorm: { make: () => new nn.LocalResponseNorm(3) },
  "LocalResponseNorm length": { make: () => new nn.LocalResponseNorm(2, 0.1, 0.5, 2) },
  Dropout1d: { make: () => new nn.Dropout1d(0.4) },
  "Dropout1d without batch": { make: () => new nn.Dropout1d(0.4) },
  Dropout3d: { make: () => new nn.Dropout3d(0.4) },
  FeatureAlphaDropout: { make: () => new nn.FeatureAlphaDropout(0.4) },
  "Embedding maxNorm": { make: () => new nn.Embedding(6, 3, { maxNorm: 1 }) },
  "Embedding frequencies": { make: () => new nn.Embedding(6, 3, { scaleGradByFreq: true }) },
  "Embedding sparse": { make: () => new nn.Embedding(6, 3, { sparse: true, paddingIdx: -1 }) },
  "EmbeddingBag mean": { make: () => new nn.EmbeddingBag(6, 3) },
  "EmbeddingBag sum offsets": {
    make: () => new nn.EmbeddingBag(6, 3, { mode: "sum", includeLastOffset: true }),
  },
  "EmbeddingBag max": { make: () => new nn.EmbeddingBag(6, 3, { mode: "max", paddingIdx: 2 }) },
  "EmbeddingBag weights": {
    make: () => new nn.EmbeddingBag(6, 3, { mode: "sum" }),
    run: (layer: nn.EmbeddingBag, indices, weights) => layer(indices, null, weights),
  },
  Bilinear: { make: () => new nn.Bilinear(3, 4, 5) },
  CosineSimilarity: { make: () => new nn.CosineSimilarity() },
  PairwiseDistance: { make: () => new nn.PairwiseDistance(1, 1e-6, true) },
  BCELoss: { make: () => new nn.BCELoss() },
  CrossEntropyLoss: {
    make: () =>
      new nn.CrossEntropyLoss({
        weight: torch.tensor([1, 2, 0.5, 1]),
        labelSmoothing: 0.1,
        reduction: "sum",
      }),
  },
  CTCLoss: {
    make: () => new nn.CTCLoss(),
    run: (loss: nn.CTCLoss, x, target) => loss(x.logSoftmax(2), target, [6, 5], [3, 2]),
  },
  CosineEmbeddingLoss: { make: () => new nn.CosineEmbeddingLoss({ margin: 0.2 }) },
  GaussianNLLLoss: { make: () => new nn.GaussianNLLLoss({ full: true }) },
  HingeEmbeddingLoss: { make: () => new nn.HingeEmbeddingLoss({ margin: 0.5 }) },
  HuberLoss: { make: () => new nn.HuberLoss({ delta: 0.7 }) },
  KLDivLoss: { make: () => new nn.KLDivLoss({ reduction: "batchmean" }) },
  L1Loss: { make: () => new nn.L1Loss() },
  MarginRankingLoss: { make: () => new nn.MarginRankingLoss({ margin: 0.1 }) },
  MultiLabelMarginLoss: { make: () => new nn.MultiLabelMarginLoss() },
  MultiLabelSoftMarginLoss: {
    make: () => new nn.MultiLabelSoftMarginLoss({ weight: torch.tensor([1, 0.5, 2, 1]) }),
  },
  MultiMarginLoss: { make: () => new nn.MultiMarginLoss({ p: 2, margin: 0.7 }) },
  PoissonNLLLoss: { make: () => new nn.PoissonNLLLoss({ full: true }) },
  SmoothL1Loss: { make: () => new nn.SmoothL1Loss({ beta: 0.4 }) },
  SoftMarginLoss: { make: () => new nn.SoftMarginLoss() },
  TripletMarginLoss: { make: () => new nn.TripletMarginLoss({ margin: 0.5, swap: true }) },
  TripletMarginWithDistanceLoss: {
    make: () =>
      new nn.TripletMarginWithDistanceLoss({
        distanceFunction: (a, b) => F.cosineSimilarity(a, b).neg().add(1),
        swap: true,
      }),
  },
};
