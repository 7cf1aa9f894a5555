// Embedding: looks up a row of a matrix for each index.
import { boolean, readOptions } from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { LOOKUP_RULES, lookUp, requireIndices, type LookupOptions } from "../functional/embedding.ts";
import { keepNothing } from "../module/transient.ts";
import { EmbeddingTable, pretrainedSize, type TableOptions } from "./table.ts";
import type { LayerCall, SizeText } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

const PRETRAINED_RULES = { freeze: boolean(true), ...LOOKUP_RULES };

export type EmbeddingOptions = TableOptions;

export interface Embedding<Dim extends number = number> extends LayerCall<`embedding;${SizeText<Dim>}|`> {}

/** [batch, length] of indices -> [batch, length, embeddingDim]. */
export class Embedding<Dim extends number = number> extends EmbeddingTable {
  constructor(numEmbeddings: number, embeddingDim: Dim, options?: EmbeddingOptions) {
    super(numEmbeddings, embeddingDim, options, []);
  }

  /** Makes a layer with these rows. They are not trained unless `freeze` is false. */
  static fromPretrained(
    embeddings: Tensor,
    options?: LookupOptions & { readonly freeze?: boolean },
  ): Embedding {
    const call = "nn.Embedding.fromPretrained";
    const { freeze, ...lookup } = readOptions(call, options, PRETRAINED_RULES);
    const layer = new Embedding(...pretrainedSize(call, embeddings), { ...lookup, weight: embeddings });
    layer.weight.requiresGrad = !freeze;
    return layer;
  }

  override forward(input: Tensor): Tensor {
    requireIndices(`${this}`, input);
    return lookUp(input, this.weight, this);
  }
}

keepNothing(Embedding);
