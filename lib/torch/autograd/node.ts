// Represents the graph's nodes: recorded operations, as `x.gradFn` returns them, with the edges that backward follows
// and the hooks around each node.
import { requireFunction } from "../vocabulary/arguments.ts";
import type { HookHandle } from "./autograd.ts";
import { native, whenLoaded } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";

type Gradients = readonly (Tensor | null)[];

/** A recorded operation. The same object as long as somebody holds it; it keeps the graph behind it. */
export class Node {
  /** @internal Made by the addon. */
  // oxlint-disable-next-line no-useless-constructor
  constructor() {}

  /** PyTorch's name for the node, `AddBackward0`. A leaf's node is `AccumulateGrad`. */
  get name(): string {
    // Drops the namespace from `torch::autograd::AccumulateGrad`: only a leaf's node has one.
    return native.nodeName(this).replace(/^.*::/, "");
  }

  /**
   * The nodes that receive its gradients, one entry for each input: the node that made the input and the number of that
   * node's output. The node is null if the input needs no gradient.
   */
  get nextFunctions(): (readonly [node: Node | null, output: number])[] {
    // The addon makes every node of this class: `setNodeClass` below.
    return native.nextFunctions(this) as (readonly [node: Node | null, output: number])[];
  }

  /** The leaf whose gradient an `AccumulateGrad` gathers, null for any other node. */
  get variable(): Tensor | null {
    return native.nodeVariable(this);
  }

  /**
   * Runs after the node, with the gradients by its inputs and by its outputs; a returned array replaces the gradients
   * by its inputs.
   */
  registerHook(hook: (gradInputs: Gradients, gradOutputs: Gradients) => Gradients | void): HookHandle {
    requireFunction("Node.registerHook", hook);
    return this.#handle(native.addNodeHook(this, hook));
  }

  /** Runs before the node, with the gradients by its outputs; a returned array takes their place. */
  registerPrehook(hook: (gradOutputs: Gradients) => Gradients | void): HookHandle {
    requireFunction("Node.registerPrehook", hook);
    return this.#handle(native.addNodePrehook(this, hook));
  }

  #handle(key: bigint): HookHandle {
    return { remove: () => native.removeNodeHook(this, key) };
  }

  /** `<AddBackward0>`, as PyTorch prints it. */
  toString(): string {
    return `<${this.name}>`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

whenLoaded((loaded) => loaded.setNodeClass(Node));
