// Finds cells that change a tensor's shape, or a container's layers, in place. After that, the known types may be
// wrong. Which variable changed is not tracked, because a tensor may have several names.
import type { Declared } from "../cell/analyze.ts";
import { identifiers } from "./cell_text.ts";
import type { VisibleName } from "./declarations.ts";
import { closing } from "./editor/signature_text.ts";

/** In-place operators after which a tensor has another shape. */
const OF_TENSORS =
  /\.(?:as_?strided|resize|resizeAs|set|sparseResize|squeeze|swapaxes|swapdims|t|transpose|unsqueeze)_\(/i;
/** Methods after which a container has other layers. Arrays have some of them, too. */
const OF_CONTAINERS = /\.(?:append|extend|insert|pop)\(/;

/** Whether calling the method may leave its object with another shape or other layers. */
export function isReshaping(method: string): boolean {
  return reshapes(`.${method}(`);
}

function reshapes(text: string): boolean {
  return OF_TENSORS.test(text) || OF_CONTAINERS.test(text);
}

export function reshapesTensors(text: string): boolean {
  return OF_TENSORS.test(text);
}

/**
 * Finds the names of earlier cells whose printed types may be wrong after a cell, and gives their types from then on.
 */
export class Reshaping {
  /** Functions and classes from cells that reshape something: calling one may reshape a tensor. */
  readonly #reshapers = new Set<string>();

  /** Remembers what a committed cell declares. */
  learn(text: string, declared: readonly Declared[]): void {
    const isReshaper = reshapes(text);
    for (const { name } of declared) {
      if (isReshaper) this.#reshapers.add(name);
      else this.#reshapers.delete(name);
    }
  }

  /** Whether the cell may reshape something, directly or through a call. Most cells do not. */
  mayOpen(text: string): boolean {
    if (reshapes(text)) return true;
    return this.#reshapers.size > 0 && identifiers(text).some((name) => this.#reshapers.has(name));
  }

  opened(text: string, names: Iterable<VisibleName>): { declared: Declared; type: string }[] {
    if (!this.mayOpen(text)) return []; // Called twice for every cell, so the common case comes first.
    const mentioned = new Set(identifiers(text));
    const callsReshaper = [...mentioned].some((name) => this.#reshapers.has(name));
    const opensTensors = callsReshaper || OF_TENSORS.test(text);
    const opensContainers = callsReshaper || OF_CONTAINERS.test(text);
    if (!opensTensors && !opensContainers) return [];
    const visible = [...names];
    const typeOf = ({ home }: VisibleName) => ("type" in home ? home.type : "");
    // Names that share a mentioned name's type are included, because they may be the same tensor.
    const types = new Set(visible.filter(({ declared }) => mentioned.has(declared.name)).map(typeOf));
    return visible.flatMap((name) => {
      const type = typeOf(name);
      if (!types.has(type)) return [];
      const tensors = opensTensors ? openedTensors(type, true) : type;
      const opened = opensContainers ? withoutLayers(tensors) : tensors;
      return opened === type ? [] : [{ declared: name.declared, type: opened }];
    });
  }
}

/**
 * A printed type as later cells will see it. The type of a `const` tensor stays. A `let`, or a place in an array, an
 * object or a map, may be assigned another tensor, so its type becomes the plain one.
 *
 *     let x: import(".../types/tensor").Tensor<[2], "float32", any>   ->   let x: import(".../types/tensor").Tensor
 */
export function openedTensors(type: string, isAssignable: boolean): string {
  if (!isAssignable && (WHOLE.test(type) || /^[<(].*=>/s.test(type))) return type;
  return type.replace(KNOWN, "$1").replace(REPEATED, "$1");
}

const KNOWN = /(import\("[^"]*\/types(?:\/\w+)?"\)\.(?:Tensor|ValuesAndIndices))<[^<>]*>/g;
const WHOLE = new RegExp(`^${KNOWN.source}$`);
/** `Tensor | Tensor`  ->  `Tensor` */
const REPEATED = /(import\("[^"]*\/types(?:\/\w+)?"\)\.Tensor)(?: \| \1)+(?![\w<.])/g;

/** `import(".../torch/nn").Sequential<readonly [...]>`  ->  `import(".../torch/nn").Sequential` */
function withoutLayers(type: string): string {
  let text = type;
  for (let at = text.search(SEQUENTIAL); at >= 0; at = text.search(SEQUENTIAL)) {
    const opening = text.indexOf("<", at);
    text = text.slice(0, opening) + text.slice(closing(text, opening) + 1);
  }
  return text;
}

const SEQUENTIAL = /\bimport\("[^"]*\/torch\/nn[^"]*"\)\.Sequential</;
