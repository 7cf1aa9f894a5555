// ZeroRedundancyOptimizer: each rank updates a part of the parameters, keeps the states of these only, and tells the
// others the new values (torch/distributed/optim/zero_redundancy_optimizer.py; ZeRO, https://arxiv.org/abs/1910.02054,
// stage 1). It does not know how parameters travel.
import { describe, isRecord } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { enableGrad } from "../../autograd/autograd.ts";
import { LBFGS } from "../../optim/lbfgs.ts";
import { Optimizer, type GroupInput, type ParameterState, type ParamGroup } from "../../optim/optimizer.ts";
import type { OptimizerStateDict } from "../../optim/state.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { groupOf, groupRankOf, type ProcessGroup } from "../process_group.ts";
import { requireSameModel } from "../same_model.ts";
import { type Message, messagesOf, partition } from "./partition.ts";
import { receiveStates, sendStates, shareParameters, type States } from "./share.ts";

/** A class of optimizers, such as `optim.Adam`. */
export type OptimizerClass<Options extends object> = new (
  params: Iterable<Tensor> | Iterable<GroupInput<Options>>,
  options?: Partial<Options>,
) => Optimizer<Options>;

/** Options of `distributed.optim.ZeroRedundancyOptimizer` by name, beside those of the optimizer that it shards. */
export interface ZeroRedundancyOptions {
  /** The group whose processes train the model together. Default: all. */
  readonly processGroup?: ProcessGroup | null;
}

const CALL = "new distributed.optim.ZeroRedundancyOptimizer";

/** An optimizer of all parameters, which makes states only for those that it updates. */
function wholeOptimizer<Options extends object>(
  given: OptimizerClass<Options>,
  params: Iterable<Tensor> | Iterable<GroupInput<Options>>,
  options: Partial<Options> | undefined,
): Optimizer<Options> {
  if (typeof given !== "function" || !((given.prototype as unknown) instanceof Optimizer))
    throw new TypeError(
      `${CALL}: the second argument must be a class such as optim.Adam, got ${describe(given)}.`,
    );
  const whole = new given(params, options);
  if ((whole as unknown) instanceof LBFGS)
    throw new TypeError(
      `${CALL}: ${given.name} cannot be sharded: its step needs all parameters together. Take an optimizer that updates each parameter by itself, such as optim.AdamW, or ${given.name} without sharding.`,
    );
  return whole;
}

/**
 * Shards the states of an optimizer over the ranks: each rank updates a part of the parameters, and gives the others
 * the new values. The parameters are bitwise those of the plain optimizer. Of its states each rank keeps only its
 * share. Gradients must be equal on all ranks, as `nn.parallel.DistributedDataParallel` makes them.
 *
 *     const { ZeroRedundancyOptimizer } = torch.distributed.optim;
 *     const optimizer = new ZeroRedundancyOptimizer(ddp.parameters(), optim.AdamW, { lr: 1e-3 });
 *
 * All ranks make it, step, and call `consolidateStateDict`. A step exchanges every parameter once.
 */
export class ZeroRedundancyOptimizer<Options extends object> extends Optimizer<Options> {
  /** All groups, with all of their parameters: a schedule changes them as those of any optimizer. */
  override readonly paramGroups: ParamGroup<Options>[];
  /** The states of the parameters that this rank updates. */
  override readonly state: Map<Tensor, ParameterState>;
  readonly #group: ProcessGroup;
  readonly #whole: Optimizer<Options>;
  #own = new Set<Tensor>();
  #messages: readonly Message[] = [];
  /** The states of all ranks, if they were gathered here since the last step. */
  #consolidated: States | null = null;

  /**
   * @param params parameters or groups of them, in the same order on every rank
   * @param optimizerClass updates them: `optim.Adam`
   * @param options of that class, and `processGroup`
   * @throws TypeError on every rank where the parameters of two differ
   */
  constructor(
    params: Iterable<Tensor> | Iterable<GroupInput<Options>>,
    optimizerClass: OptimizerClass<Options>,
    options?: Partial<Options> & ZeroRedundancyOptions,
  ) {
    const { processGroup, ...own } = isRecord(options) ? (options as ZeroRedundancyOptions) : {};
    const group = groupOf(CALL, processGroup);
    // The wrapped optimizer knows its options and checks them.
    const whole = wholeOptimizer(
      optimizerClass,
      params,
      isRecord(options) ? (own as Partial<Options>) : options,
    );
    const { params: _, ...defaults } = whole.paramGroups[0]!;
    super(whole.paramGroups, defaults as unknown as Options);
    this.paramGroups = whole.paramGroups;
    this.state = whole.state;
    this.#group = group;
    this.#whole = whole;
    this.#divide(CALL);
  }

  /** Agrees with the other ranks on which rank updates what. */
  #divide(call: string): void {
    const named = this.paramGroups.flatMap(({ params }, group) =>
      params.map((tensor, i) => [`parameter ${i} of group ${group}`, tensor] as const),
    );
    requireSameModel(call, this.#group, named);
    const shards = partition(this.paramGroups, this.#group.size());
    this.#own = new Set(shards[this.#group.rank()]);
    this.#messages = messagesOf(shards);
  }

  /** The wrapped optimizer has checked the options. */
  protected override checkGroup(): void {}

  /** The wrapped optimizer updates. */
  protected override update(): void {}

  /** Trains further parameters. All ranks call it, with the same. */
  override addParamGroup(group: GroupInput<Options>): void {
    // The constructor of the base class adds the first groups.
    if (!(#whole in this)) return super.addParamGroup(group);
    this.#whole.addParamGroup(group);
    this.#divide(`${this.constructor.name}.addParamGroup`);
  }

  override step(): void;
  override step(closure: () => Tensor): Tensor;
  override step(closure?: () => Tensor): Tensor | void {
    const call = `${this.constructor.name}.step`;
    if (closure !== undefined && typeof closure !== "function")
      throw new TypeError(`${call}: the closure must be a function, got ${describe(closure)}.`);
    return this.hooked(() => {
      const loss = closure && enableGrad(closure);
      this.#consolidated = null;
      this.#stepOwn();
      shareParameters(call, this.#group, this.#messages);
      return loss;
    });
  }

  /** A step of the wrapped optimizer, which sees this rank's parameters only. */
  #stepOwn(): void {
    const all = this.paramGroups.map((group) => group.params);
    for (const group of this.paramGroups)
      group.params = group.params.filter((tensor) => this.#own.has(tensor));
    try {
      this.#whole.step();
    } finally {
      for (const [i, group] of this.paramGroups.entries()) group.params = all[i]!;
    }
  }

  /**
   * Gathers the states of all ranks on one of them, on the host, so that its `stateDict()` is complete. All ranks call
   * it.
   *
   * @param to a rank of the world
   */
  consolidateStateDict(to = 0): void {
    const call = `${this.constructor.name}.consolidateStateDict`;
    const peer = groupRankOf(call, "to", this.#group, to);
    const device = native.device(this.paramGroups[0]!.params[0]!);
    const own = this.#whole.stateDict().state;
    if (this.#group.rank() !== peer) return sendStates(call, this.#group, own, peer, device);
    const states: States = {};
    for (const [number, tensors] of Object.entries(own as States))
      states[Number(number)] = Object.fromEntries(
        Object.entries(tensors).map(([name, tensor]) => [name, tensor.to({ device: "cpu", copy: true })]),
      );
    for (let rank = 0; rank < this.#group.size(); rank++)
      if (rank !== peer) Object.assign(states, receiveStates(call, this.#group, rank, device));
    this.#consolidated = states;
  }

  /**
   * Groups and the states of all ranks, as the wrapped optimizer's `stateDict()` without sharding has them.
   *
   * @throws Error if they were not gathered on this rank since the last step
   */
  override stateDict(): OptimizerStateDict {
    if (this.#consolidated === null)
      throw new Error(
        `${this.constructor.name}.stateDict: the states are on ${this.#group.size()} ranks, and were not brought to this one since the last step. Call consolidateStateDict(to) on all ranks first.`,
      );
    return { ...this.#whole.stateDict(), state: this.#consolidated };
  }

  /** Takes this rank's part of the states of an optimizer of the same class, sharded or not. All ranks load the same. */
  override loadStateDict(saved: OptimizerStateDict): void {
    this.#consolidated = null;
    this.#whole.loadStateDict(this.#ownPart(saved));
  }

  #ownPart(saved: OptimizerStateDict): OptimizerStateDict {
    // The wrapped optimizer refuses what is not a state dict.
    if (!isRecord(saved) || !Array.isArray(saved.param_groups) || !isRecord(saved.state)) return saved;
    const numbers = saved.param_groups.flatMap((group) => group.params ?? []);
    const own = new Set(
      this.paramGroups
        .flatMap(({ params }) => params)
        .flatMap((tensor, i) => (this.#own.has(tensor) ? [String(numbers[i])] : [])),
    );
    return {
      ...saved,
      state: Object.fromEntries(Object.entries(saved.state).filter(([number]) => own.has(number))),
    };
  }
}
