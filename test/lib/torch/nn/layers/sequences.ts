// Recurrent layers, attention and transformers, made as in test/fixtures/layers.py.
import { nn, torch, type Tensor } from "../../../../../lib/index.ts";
import type { Build } from "./recorded.ts";

const causal = () => nn.Transformer.generateSquareSubsequentMask(4);
const selfAttention = (options?: () => nn.AttentionOptions) => (layer: nn.MultiheadAttention, x: Tensor) =>
  layer(x, x, x, options?.());

function runPackedLstm(layer: nn.LSTM, x: Tensor) {
  const packed = nn.utils.rnn.packPaddedSequence(x, [2, 5, 3], { enforceSorted: false });
  const [output, state] = layer(packed);
  return [output.data, state];
}

function runPackedGru(layer: nn.GRU, x: Tensor, state: Tensor) {
  const [output, final] = layer(nn.utils.rnn.packPaddedSequence(x, [5, 3, 2]), state);
  return [nn.utils.rnn.padPackedSequence(output)[0], final];
}

const withState = (layer: nn.LSTM | nn.LSTMCell, x: Tensor, h: Tensor, c: Tensor) => layer(x, [h, c]);

export const SEQUENCES: Record<string, Build> = {
  RNN: { make: () => new nn.RNN(4, 3) },
  "RNN relu": { make: () => new nn.RNN(4, 3, { numLayers: 2, nonlinearity: "relu", bias: false }) },
  LSTM: { make: () => new nn.LSTM(4, 3) },
  "LSTM deep": {
    make: () => new nn.LSTM(4, 3, { numLayers: 2, bidirectional: true, batchFirst: true, dropout: 0.4 }),
  },
  "LSTM projection": { make: () => new nn.LSTM(4, 5, { numLayers: 2, projSize: 3, bidirectional: true }) },
  "LSTM state": { make: () => new nn.LSTM(4, 3), run: withState },
  "LSTM without batch": { make: () => new nn.LSTM(4, 3) },
  "LSTM packed": { make: () => new nn.LSTM(4, 3, { bidirectional: true }), run: runPackedLstm },
  GRU: { make: () => new nn.GRU(4, 3) },
  "GRU deep": {
    make: () => new nn.GRU(4, 3, { numLayers: 2, bidirectional: true, dropout: 0.3, bias: false }),
  },
  "GRU state": { make: () => new nn.GRU(4, 3, { batchFirst: true }) },
  "GRU packed": { make: () => new nn.GRU(4, 3, { numLayers: 2 }), run: runPackedGru },
  RNNCell: { make: () => new nn.RNNCell(4, 3) },
  "RNNCell relu": { make: () => new nn.RNNCell(4, 3, { nonlinearity: "relu" }) },
  LSTMCell: { make: () => new nn.LSTMCell(4, 3, { bias: false }) },
  "LSTMCell without batch": { make: () => new nn.LSTMCell(4, 3), run: withState },
  GRUCell: { make: () => new nn.GRUCell(4, 3) },
  MultiheadAttention: { make: () => new nn.MultiheadAttention(8, 2), run: selfAttention() },
  "MultiheadAttention fused": {
    make: () => new nn.MultiheadAttention(8, 2, { batchFirst: true }),
    run: selfAttention(() => ({ needWeights: false })),
  },
  "MultiheadAttention cross": {
    make: () => new nn.MultiheadAttention(8, 4, { bias: false }),
    run: (layer: nn.MultiheadAttention, q, k) => layer(q, k, k, { averageAttnWeights: false }),
  },
  "MultiheadAttention three": { make: () => new nn.MultiheadAttention(8, 2, { kdim: 5, vdim: 6 }) },
  "MultiheadAttention extras": {
    make: () => new nn.MultiheadAttention(8, 2, { dropout: 0.3, addBiasKv: true, addZeroAttn: true }),
  },
  "MultiheadAttention masks": {
    make: () => new nn.MultiheadAttention(8, 2, { batchFirst: true }),
    run: selfAttention(() => ({
      keyPaddingMask: torch.tensor([
        [false, false, false, true],
        [false, false, true, true],
      ]),
      attnMask: torch.ones([4, 4], { dtype: "bool" }).triu(1),
    })),
  },
  "MultiheadAttention causal": {
    make: () => new nn.MultiheadAttention(8, 2),
    run: selfAttention(() => ({ attnMask: causal(), isCausal: true, needWeights: false })),
  },
  "MultiheadAttention without batch": { make: () => new nn.MultiheadAttention(8, 2) },
  TransformerEncoderLayer: {
    make: () => new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, dropout: 0.2 }),
  },
  "TransformerEncoderLayer gelu first": {
    make: () =>
      new nn.TransformerEncoderLayer(8, 2, {
        dimFeedforward: 16,
        activation: "gelu",
        batchFirst: true,
        normFirst: true,
        bias: false,
      }),
    run: (layer: nn.TransformerEncoderLayer, x) =>
      layer(x, {
        srcKeyPaddingMask: torch.tensor([
          [false, false, false, false],
          [false, false, false, true],
          [false, false, true, true],
        ]),
      }),
  },
  TransformerDecoderLayer: { make: () => new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 16 }) },
  TransformerEncoder: {
    make: () =>
      new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16 }), 2, {
        norm: new nn.LayerNorm(8),
      }),
    run: (model: nn.TransformerEncoder, x) => model(x, { mask: causal() }),
  },
  TransformerDecoder: {
    make: () =>
      new nn.TransformerDecoder(
        new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 16, normFirst: true }),
        2,
      ),
    run: (model: nn.TransformerDecoder, t, s) => model(t, s, { tgtMask: causal() }),
  },
  Transformer: {
    make: () =>
      new nn.Transformer({
        dModel: 8,
        nhead: 2,
        numEncoderLayers: 1,
        numDecoderLayers: 1,
        dimFeedforward: 16,
        batchFirst: true,
      }),
    run: (model: nn.Transformer, s, t) => model(s, t, { tgtMask: causal() }),
  },
  "MultiheadAttention inference": {
    make: () => new nn.MultiheadAttention(8, 2, { batchFirst: true }),
    run: selfAttention(() => ({ attnMask: torch.ones([4, 4], { dtype: "bool" }).triu(1) })),
    evaluate: "fused",
  },
  "TransformerEncoderLayer inference": {
    make: () =>
      new nn.TransformerEncoderLayer(8, 2, {
        dimFeedforward: 16,
        activation: "gelu",
        batchFirst: true,
        normFirst: true,
      }),
    evaluate: "fused",
  },
  "TransformerEncoder inference": {
    make: () =>
      new nn.TransformerEncoder(
        new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true }),
        2,
      ),
    run: (model: nn.TransformerEncoder, x) => model(x, { mask: causal() }),
    evaluate: "fused",
  },
};
