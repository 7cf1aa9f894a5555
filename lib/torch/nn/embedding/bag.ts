// EmbeddingBag: sums, means or maxima of rows, computed without storing the rows.
import type { CalledAsForward } from "../module/called.ts";
import { checkBoolean, checkChoice, checkOptions } from "../../vocabulary/arguments.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import {
  BAG_MODES,
  embeddingBag,
  requireIndices,
  type BagMode,
  type LookupOptions,
} from "../functional/embedding.ts";
import { EmbeddingTable, pretrainedSize, type TableOptions } from "./table.ts";

interface BagOnly {
  /** The reduction of a bag's rows: their mean (the default), sum or maximum. */
  readonly mode?: BagMode;
  /** Whether the last offset is the end of the last bag. Default: false. */
  readonly includeLastOffset?: boolean;
}

/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface EmbeddingBagOptions extends TableOptions, BagOnly {}

export interface EmbeddingBag extends CalledAsForward {}

/** [batch, length] of indices, or bags of any length one after the other -> [bags, embeddingDim]. */
export class EmbeddingBag extends EmbeddingTable {
  readonly mode: BagMode;
  readonly includeLastOffset: boolean;

  constructor(numEmbeddings: number, embeddingDim: number, options?: EmbeddingBagOptions) {
    super(numEmbeddings, embeddingDim, options, ["mode", "includeLastOffset"]);
    const call = "new nn.EmbeddingBag";
    const { mode = "mean", includeLastOffset = false } = options ?? {};
    this.mode = checkChoice(call, "mode", mode, BAG_MODES);
    this.includeLastOffset = checkBoolean(call, "includeLastOffset", includeLastOffset);
  }

  /** Makes a layer with these rows. They are not trained unless `freeze` is false. */
  static fromPretrained(
    embeddings: Tensor,
    options?: LookupOptions & BagOnly & { readonly freeze?: boolean },
  ): EmbeddingBag {
    const call = "nn.EmbeddingBag.fromPretrained";
    const { freeze = true, ...others } = checkOptions(call, options, [
      "freeze",
      "paddingIdx",
      "maxNorm",
      "normType",
      "scaleGradByFreq",
      "sparse",
      "mode",
      "includeLastOffset",
    ]);
    const layer = new EmbeddingBag(...pretrainedSize(call, embeddings), { ...others, weight: embeddings });
    layer.weight.requiresGrad = !checkBoolean(call, "freeze", freeze);
    return layer;
  }

  /**
   * `offsets` says where each bag begins in an input of one dimension. `perSampleWeights`, of the input's shape,
   * scale the rows before they are summed.
   */
  override forward(input: Tensor, offsets?: Tensor | null, perSampleWeights?: Tensor | null): Tensor {
    requireIndices(`${this}`, input);
    return embeddingBag(input, this.weight, {
      offsets: offsets ?? null,
      perSampleWeights: perSampleWeights ?? null,
      maxNorm: this.maxNorm,
      normType: this.normType,
      scaleGradByFreq: this.scaleGradByFreq,
      mode: this.mode,
      sparse: this.sparse,
      includeLastOffset: this.includeLastOffset,
      paddingIdx: this.paddingIdx,
    });
  }

  protected override moreRepr(): string[] {
    return [`mode="${this.mode}"`];
  }
}
