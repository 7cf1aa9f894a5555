// The base of optimizers: parameter groups, state per parameter, and state dicts. Subclasses update a group with
// kernels over lists of tensors, so no arithmetic on a parameter runs in JavaScript.
import type { DeviceName } from "../vocabulary/device_name.ts";
import { checkIterable } from "../tensor/tensor_arguments.ts";
import {
  guardCapture,
  isCapturing,
  noteMadeState,
  noteOccasion,
  noteRead,
  refuseInCapture,
} from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import { noteOptimizerStep } from "../engine/step_strategy.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { alignGradients, alignState, requireDense } from "./layout.ts";
import { checkOptions, describe, requireFunction } from "../vocabulary/arguments.ts";
import { zeroGradients, type ZeroGradOptions } from "../autograd/zero_gradients.ts";
import { requireFinished } from "../vocabulary/finished.ts";
import { isFloatingDType, type DType } from "../vocabulary/dtype.ts";
import { enableGrad, noGrad, type HookHandle } from "../autograd/autograd.ts";
import { packState, unpackState, type OptimizerStateDict } from "./state.ts";

/** A parameter group as given: parameters, and the options in which it differs from the optimizer's. */
export type GroupInput<Options> = Partial<Options> & { readonly params: Iterable<Tensor> };

/** A parameter group in use: `optimizer.paramGroups[0].lr *= 0.1` changes the learning rate. */
export type ParamGroup<Options> = Options & { params: Tensor[] };

/** The tensors that an optimizer keeps for one parameter, such as `expAvg`. */
export type ParameterState = Record<string, Tensor>;

/** Parameters of a group that have a gradient, all of one device and dtype, as one kernel call takes them. */
export interface Batch {
  readonly device: DeviceName;
  readonly dtype: DType;
  readonly params: Tensor[];
  readonly grads: Tensor[];
}

interface StepHooks {
  readonly before: Set<() => void>;
  readonly after: Set<() => void>;
}

const FREE_STATE: ReadonlySet<string> = new Set(["step", "muProduct", "eta", "mu"]);

/** `optimizer.lr = 0.1` would set what no step reads. */
function refuseOptions(optimizer: object, names: readonly string[]): void {
  for (const name of names) {
    const refuse = (): never => {
      throw new TypeError(
        `${optimizer.constructor.name} has ${name} in its groups: optimizer.paramGroups[0].${name}, or that of every group.`,
      );
    };
    Object.defineProperty(optimizer, name, { get: refuse, set: refuse, configurable: true });
  }
}

/** `{ optimizer: "SGD", lr: "0.1, 0.01" }`: the options of its groups that are not off, those of each where they differ. */
function hyperparameterTexts({ constructor, paramGroups }: Optimizer<object>): Record<string, string> {
  const texts: Record<string, string> = { optimizer: constructor.name };
  const names = new Set(paramGroups.flatMap((group) => Object.keys(group)));
  names.delete("params");
  for (const name of names) {
    const values = paramGroups.map((group) => (group as Readonly<Record<string, unknown>>)[name]);
    if (values.every((value) => !isTelling(value))) continue;
    texts[name] = [...new Set(values.map(String))].join(", ");
  }
  return texts;
}

/** Numbers, lists of them, words and what is switched on. */
const isTelling = (value: unknown): boolean =>
  typeof value === "number" ||
  typeof value === "string" ||
  value === true ||
  (Array.isArray(value) && value.every((one) => typeof one === "number"));

/**
 * The base class of optimizers: groups of parameters, each with its options, and what is remembered of each parameter
 * (`torch/optim/optimizer.py`).
 */
export abstract class Optimizer<Options extends object = any> {
  readonly paramGroups: ParamGroup<Options>[] = [];
  readonly state = new Map<Tensor, ParameterState>();
  readonly #defaults: Options;
  #hooks: StepHooks | null = null;

  /** `defaults` holds a valid value for every option, and so names the options that a group may give. */
  protected constructor(params: Iterable<Tensor> | Iterable<GroupInput<Options>>, defaults: Options) {
    this.#defaults = defaults;
    refuseOptions(this, Object.keys(defaults));
    const call = `new optim.${this.constructor.name}`;
    if (
      typeof params !== "object" ||
      params === null ||
      native.isTensor(params) ||
      !(Symbol.iterator in params)
    ) {
      throw new TypeError(
        `${call}: expected a list of parameters as model.parameters() gives, got ${describe(params)}.`,
      );
    }
    noteOccasion();
    const given = [...(params as Iterable<Tensor | GroupInput<Options>>)];
    if (given.length === 0) {
      throw new RangeError(
        `${call}: there are no parameters. A model's fields count when made by new nn.Parameter(...).`,
      );
    }
    const isGroup = (item: unknown) => typeof item === "object" && item !== null && !native.isTensor(item);
    if (given.every(isGroup)) for (const group of given) this.addParamGroup(group as GroupInput<Options>);
    else this.addParamGroup({ params: given } as unknown as GroupInput<Options>);
  }

  /** Refuses a value that the optimizer cannot work with. Called with every option set. */
  protected abstract checkGroup(call: string, options: Options): void;

  /** Names of state whose shape is its own: a count of steps, a factor. All else has its parameter's shape. */
  protected get freeState(): ReadonlySet<string> {
    return FREE_STATE;
  }

  /** Whether a kernel counts the steps: beside the parameters, in float32. */
  protected get countsOnDevice(): boolean {
    return false;
  }

  /** One step for parameters of one group, device and dtype. Runs without autograd. */
  protected abstract update(group: ParamGroup<Options>, batch: Batch): void;

  /**
   * Trains further parameters, with the optimizer's own options where the group has none: `{ params, lr: 1e-4 }`.
   *
   * @throws TypeError for what is no floating leaf tensor, RangeError for no parameters, or one that it trains already
   */
  addParamGroup(group: GroupInput<Options>): void {
    const call = this.constructor.name;
    const known = ["params", ...Object.keys(this.#defaults)] as (keyof GroupInput<Options> & string)[];
    const { params, ...options } = checkOptions<GroupInput<Options>>(call, group, known);
    const list = native.isTensor(params) ? [params] : [...checkIterable(call, "params", params ?? [])];
    if (list.length === 0) throw new RangeError(`${call}: a parameter group has no parameters.`);
    const used = new Set(this.paramGroups.flatMap((other) => other.params));
    for (const [index, parameter] of list.entries()) {
      if (!native.isTensor(parameter)) {
        throw new TypeError(`${call}: parameter ${index} must be a tensor, got ${describe(parameter)}.`);
      }
      if (!native.isLeaf(parameter)) {
        throw new TypeError(
          `${call}: parameter ${index} is a result, not a leaf; optimize the tensor it was computed from.`,
        );
      }
      const dtype = native.dtype(parameter);
      if (!isFloatingDType(dtype)) {
        throw new TypeError(`${call}: parameter ${index} is ${dtype}; only floating tensors can be trained.`);
      }
      requireDense(call, index, parameter);
      if (used.has(parameter)) throw new RangeError(`${call}: parameter ${index} is given twice.`);
      used.add(parameter);
    }
    const complete = { ...this.#defaults, ...options } as Options;
    this.checkGroup(call, complete);
    // PyTorch's name of an option, as in `group.weight_decay = 0.1`, would add what no step reads.
    this.paramGroups.push(Object.preventExtensions({ ...complete, params: list }));
  }

  /** Drops every gradient (sets it to null), which frees its memory; with false fills them with zeros. */
  zeroGrad(setToNone?: boolean | ZeroGradOptions): void;
  zeroGrad(...given: unknown[]): void {
    const call = `${this.constructor.name}.zeroGrad`;
    for (const group of this.paramGroups) zeroGradients(call, group.params, given);
  }

  /**
   * Updates every parameter that has a gradient. With a closure, evaluates it first, with gradients enabled, and
   * returns its loss.
   */
  step(): void;
  step(closure: () => Tensor): Tensor;
  step(closure?: () => Tensor): Tensor | void {
    if (closure !== undefined && typeof closure !== "function") {
      throw new TypeError(
        `${this.constructor.name}.step: the closure must be a function, got ${describe(closure)}.`,
      );
    }
    if (isCapturing()) this.#guardCapture();
    return this.hooked(() => {
      const loss = closure && enableGrad(closure);
      noGrad(() => {
        for (const group of this.paramGroups) this.#stepGroup(group);
      });
      noteOptimizerStep(this, hyperparameterTexts);
      return loss;
    });
  }

  /**
   * Steps unless `foundInf` is 1, which the kernel reads on the device: for a GradScaler in a captured step, which reads
   * nothing on the host.
   */
  stepUnless(foundInf: Tensor): void {
    if (!this.takesFoundInf) {
      throw new TypeError(
        `torch.capture: ${this.constructor.name} cannot leave a step out without the host: capture with SGD, Adam or AdamW, or keep scaler.step() outside of the step.`,
      );
    }
    this.foundInf = foundInf;
    try {
      this.step();
    } finally {
      this.foundInf = null;
    }
  }

  /** Whether its kernel can leave a step out by itself. */
  protected get takesFoundInf(): boolean {
    return false;
  }

  /** 1 where the step is to be left out. */
  protected foundInf: Tensor | null = null;

  /** The options that a replay gets as they are then. Another value of one that is not here captures anew. */
  protected get followedOptions(): readonly string[] {
    return [];
  }

  /** @throws TypeError while a step is captured: for kernels that the host calls with what it counts or reads */
  protected refuseInCapture(): void {
    refuseInCapture(
      () =>
        `${this.constructor.name}.step() computes on the host, which a replay does not: capture with SGD, Adam or AdamW, or call step() outside of the captured step.`,
    );
  }

  /** Lets a captured step be captured anew where this optimizer's parameters, state, frozen options or hooks are others. */
  #guardCapture(): void {
    if (this.#hooks !== null && this.#hooks.before.size + this.#hooks.after.size > 0) {
      refuseInCapture(
        () =>
          `a hook on ${this.constructor.name}.step() is JavaScript, which a replay does not run: remove the hook, and write what it does into the step.`,
      );
    }
    guardCapture(() => this.#hooks === null || this.#hooks.before.size + this.#hooks.after.size === 0);
    noteRead(this);
    for (const group of this.paramGroups) noteRead(group, this.followedOptions);
  }

  /** Calls `hook` with this optimizer before each step: to clip gradients, or to count. A GradScaler may skip steps. */
  registerStepPreHook(hook: (optimizer: this) => void): HookHandle {
    return this.#addHook("registerStepPreHook", "before", hook);
  }

  /** Calls `hook` with this optimizer after each step: to constrain weights, or to average them. */
  registerStepPostHook(hook: (optimizer: this) => void): HookHandle {
    return this.#addHook("registerStepPostHook", "after", hook);
  }

  #addHook(method: string, when: keyof StepHooks, hook: (optimizer: this) => void): HookHandle {
    const call = `${this.constructor.name}.${method}`;
    requireFunction(call, hook);
    this.#hooks ??= { before: new Set(), after: new Set() };
    // A function of its own: registered twice it runs twice, and each handle removes its own.
    const own = () =>
      void requireFinished<unknown>(
        call,
        hook(this),
        "the step goes on when it returns: await outside of it.",
      );
    const hooks = this.#hooks[when].add(own);
    return { remove: () => void hooks.delete(own) };
  }

  /** A step between its hooks. */
  protected hooked<Result>(step: () => Result): Result {
    if (this.#hooks === null) return step();
    for (const hook of this.#hooks.before) hook();
    const result = step();
    for (const hook of this.#hooks.after) hook();
    return result;
  }

  /** Whether it takes gradients of embeddings made with `sparse: true`. */
  protected get takesSparse(): boolean {
    return false;
  }

  #refuseSparse(group: ParamGroup<Options>, { params, grads }: Batch): void {
    const sparse = grads.findIndex((grad) => native.layout(grad) !== "strided");
    if (sparse < 0) return;
    throw new TypeError(
      `${this.constructor.name}.step: parameter ${group.params.indexOf(params[sparse]!)} has a sparse gradient; ` +
        `optim.SparseAdam, SGD and Adagrad take those.`,
    );
  }

  #stepGroup(group: ParamGroup<Options>): void {
    const batches = new Map<string, Batch>();
    for (const parameter of group.params) {
      const grad = native.ownGrad(parameter);
      if (!grad) continue;
      const device = native.device(parameter);
      const dtype = native.dtype(parameter);
      let batch = batches.get(`${device} ${dtype}`);
      if (!batch) batches.set(`${device} ${dtype}`, (batch = { device, dtype, params: [], grads: [] }));
      batch.params.push(parameter);
      batch.grads.push(grad);
    }
    const call = `${this.constructor.name}.step`;
    for (const batch of batches.values()) {
      alignGradients({ call, all: group.params, params: batch.params }, batch.grads);
      if (!this.takesSparse) this.#refuseSparse(group, batch);
      this.update(group, batch);
      // These are wrappers of our own: with them held, gradients would live on after zeroGrad() until a collection.
      for (const grad of batch.grads) native.dispose(grad);
    }
  }

  /** Brings lists of state to the layout of their parameters, which fused kernels need. */
  protected align(
    group: ParamGroup<Options>,
    params: readonly Tensor[],
    lists: Readonly<Record<string, Tensor[]>>,
  ): void {
    const stepped = { call: `${this.constructor.name}.step`, all: group.params, params };
    alignState(stepped, lists, (parameter, name, tensor) => {
      this.state.get(parameter)![name] = tensor;
    });
  }

  /** A tensor of a parameter's state, made by `create` when it is first needed. */
  protected remember(parameter: Tensor, name: string, create: () => Tensor): Tensor {
    let state = this.state.get(parameter);
    if (!state) this.state.set(parameter, (state = {}));
    let tensor = state[name];
    if (!tensor) {
      noteMadeState(
        () =>
          `${this.constructor.name}.step() met the first gradient of a parameter where the step's graph was captured: let every parameter have a gradient in the first calls, or call reset().`,
      );
      state[name] = tensor = create();
      // The step that happens to be the first may run in tidy; the state is for all steps.
      native.keep(tensor);
    }
    return tensor;
  }

  /**
   * Groups and state with parameters numbered, under PyTorch's names: `{ state: { 0: { exp_avg } }, param_groups }`.
   * `torch.save` writes it for PyTorch's `optimizer.load_state_dict(torch.load(file))`.
   */
  stateDict(): OptimizerStateDict {
    return packState(this.paramGroups, this.state);
  }

  /**
   * Goes on where the saved optimizer stopped, ours or one of PyTorch: `torch.load("optimizer.pt")`. All of it is taken,
   * or nothing.
   *
   * @throws TypeError for another optimizer's state, RangeError where groups or shapes differ
   */
  loadStateDict(saved: OptimizerStateDict): void {
    const call = `${this.constructor.name}.loadStateDict`;
    const { state, options, restoreSchedules } = unpackState(
      call,
      this.paramGroups,
      saved,
      Object.keys(this.#defaults),
      { freeState: this.freeState, countsOnDevice: this.countsOnDevice },
    );
    for (const each of options) this.checkGroup(call, each as Options);
    for (const [index, group] of this.paramGroups.entries()) Object.assign(group, options[index]);
    this.state.clear();
    for (const [parameter, tensors] of state) this.state.set(parameter, tensors);
    restoreSchedules();
  }

  /**
   * Returns the text that PyTorch prints: the options of each group. Parameters are counted and not printed; printing
   * the model shows their values.
   */
  toString(): string {
    const groups = this.paramGroups.map(({ params, ...options }, index) => {
      const lines = Object.entries(options).map(([name, value]) => `    ${name}: ${describe(value)}`);
      return `Parameter Group ${index}\n    params: ${params.length} tensor${params.length === 1 ? "" : "s"}\n${lines.join("\n")}\n`;
    });
    return `${this.constructor.name} (\n${groups.join("\n")})`;
  }

  /** Returns the text with which `console.log` and the kernel show an optimizer. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
