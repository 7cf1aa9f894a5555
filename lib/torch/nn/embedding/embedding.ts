// Embedding: a row of a matrix for each index.
import { checkBoolean, checkOptions } from "../../arguments.ts";
import type { Tensor } from "../../tensor.ts";
import { lookUp, requireIndices, type LookupOptions } from "../functional/embedding.ts";
import { keepNothing } from "../transient.ts";
import { EmbeddingTable, pretrainedSize, type TableOptions } from "./table.ts";

export type EmbeddingOptions = TableOptions;

/** [batch, length] of indices -> [batch, length, embeddingDim]. */
export class Embedding extends EmbeddingTable {
  constructor(numEmbeddings: number, embeddingDim: number, options?: EmbeddingOptions) {
    super(numEmbeddings, embeddingDim, options, []);
  }

  /** With these rows, which are not trained unless `freeze` is false. */
  static fromPretrained(
    embeddings: Tensor,
    options?: LookupOptions & { readonly freeze?: boolean },
  ): Embedding {
    const call = "nn.Embedding.fromPretrained";
    const known = ["freeze", "paddingIdx", "maxNorm", "normType", "scaleGradByFreq", "sparse"] as const;
    const { freeze = true, ...lookup } = checkOptions(call, options, known);
    const layer = new Embedding(...pretrainedSize(call, embeddings), { ...lookup, weight: embeddings });
    layer.weight.requiresGrad = !checkBoolean(call, "freeze", freeze);
    return layer;
  }

  override forward(input: Tensor): Tensor {
    requireIndices(`${this}`, input);
    return lookUp(input, this.weight, this);
  }
}

keepNothing(Embedding);
