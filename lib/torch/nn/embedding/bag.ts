// EmbeddingBag: sums, means or maxima of rows, computed without storing the rows.
import type { CalledAsForward } from "../module/called.ts";
import { boolean, choice, readOptions, type Rules } from "../../vocabulary/options.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import {
  BAG_MODES,
  embeddingBag,
  LOOKUP_RULES,
  requireIndices,
  type BagMode,
  type LookupOptions,
} from "../functional/embedding.ts";
import { EmbeddingTable, pretrainedSize, type TableOptions } from "./table.ts";
import type { ByName } from "../../types/index.ts";

interface BagOnly {
  /** The reduction of a bag's rows: their mean, sum or maximum. Default: "mean". */
  readonly mode?: BagMode;
  /** Whether the last offset is the end of the last bag. Default: false. */
  readonly includeLastOffset?: boolean;
}

const BAG_RULES: Rules<BagOnly> = {
  mode: choice("mean", BAG_MODES),
  includeLastOffset: boolean(false),
};
const PRETRAINED_RULES = { freeze: boolean(true), ...LOOKUP_RULES, ...BAG_RULES };

/* oxlint-disable typescript/no-unsafe-declaration-merging */

export interface EmbeddingBagOptions extends TableOptions, BagOnly {}

const PLACES = [
  "maxNorm",
  "normType",
  "scaleGradByFreq",
  "mode",
  "sparse",
  "weight",
  "includeLastOffset",
  "paddingIdx",
  "device",
  "dtype",
] as const satisfies readonly (keyof EmbeddingBagOptions)[];

/** What a call may be given by name. */
export interface BagInputs {
  /** The index at which each bag begins, for an input of one dimension. Default: null. */
  readonly offsets?: Tensor | null;
  /** A weight for each index, of the input's shape; with mode "sum". Default: null. */
  readonly perSampleWeights?: Tensor | null;
}

export interface EmbeddingBag extends CalledAsForward {}

/** [batch, length] of indices, or bags of any length one after the other -> [bags, embeddingDim]. */
export class EmbeddingBag extends EmbeddingTable {
  readonly mode: BagMode;
  readonly includeLastOffset: boolean;

  constructor(
    numEmbeddings: number,
    embeddingDim: number,
    maxNorm?: number | null | EmbeddingBagOptions,
    normType?: number | EmbeddingBagOptions,
    scaleGradByFreq?: boolean | EmbeddingBagOptions,
    mode?: BagMode | EmbeddingBagOptions,
    sparse?: boolean | EmbeddingBagOptions,
    weight?: Tensor | null | EmbeddingBagOptions,
    includeLastOffset?: boolean | EmbeddingBagOptions,
    paddingIdx?: number | null | EmbeddingBagOptions,
    device?: DeviceText | null | EmbeddingBagOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { numEmbeddings: number; embeddingDim: number } & EmbeddingBagOptions);
  constructor(numEmbeddings: number, named: ByName & { embeddingDim: number } & EmbeddingBagOptions);
  constructor(numEmbeddings: number, embeddingDim: number);
  constructor(...all: unknown[]) {
    const [numEmbeddings, embeddingDim, ...given] = neededByPlace<
      [numEmbeddings: number, embeddingDim: number]
    >(["numEmbeddings", "embeddingDim"], all);
    const options = optionsByPlace<EmbeddingBagOptions>(`new nn.${new.target.name}`, PLACES, given);
    super(numEmbeddings, embeddingDim, options, PLACES);
    const { mode, includeLastOffset } = options ?? {};
    const read = readOptions<BagOnly>("new nn.EmbeddingBag", { mode, includeLastOffset }, BAG_RULES);
    this.mode = read.mode;
    this.includeLastOffset = read.includeLastOffset;
  }

  /** Makes a layer with these rows. They are not trained unless `freeze` is false. */
  static fromPretrained(
    embeddings: Tensor,
    options?: LookupOptions & BagOnly & { readonly freeze?: boolean },
  ): EmbeddingBag {
    const call = "nn.EmbeddingBag.fromPretrained";
    const { freeze, ...others } = readOptions(call, options, PRETRAINED_RULES);
    const layer = new EmbeddingBag(...pretrainedSize(call, embeddings), { ...others, weight: embeddings });
    layer.weight.requiresGrad = !freeze;
    return layer;
  }

  /**
   * `offsets` says where each bag begins in an input of one dimension. `perSampleWeights`, of the input's shape,
   * scale the rows before they are summed.
   */
  override forward(
    input: Tensor,
    offsets?: Tensor | null | BagInputs,
    perSampleWeights?: Tensor | null,
  ): Tensor {
    requireIndices(`${this}`, input);
    const given = [offsets, perSampleWeights];
    const inputs = optionsByPlace<BagInputs>(`${this}`, ["offsets", "perSampleWeights"], given);
    return embeddingBag(input, this.weight, {
      offsets: inputs?.offsets ?? null,
      perSampleWeights: inputs?.perSampleWeights ?? null,
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
