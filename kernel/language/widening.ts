// Widens tensor types before a cell is checked. TypeScript widens `let n = 2` to number, but has no such rule for the
// shape of `let x = torch.zeros([2])`. So first values are wrapped in `__mpslab_open()`, which returns a plain `Tensor`
// or layer. This concerns untyped variables that are assigned again, untyped fields that are not readonly, and elements
// of array and object literals. If the cell reshapes any tensor in place, it concerns every untyped variable. A list, a
// map or a set that the cell adds to keeps plain tensors.
//
//     let x = torch.zeros([2]); x = torch.ones([3]);
//     let x = __mpslab_open(torch.zeros([2])); x = torch.ones([3]);
import type { Node } from "oxc-parser";
import { RESERVED_PREFIX } from "../cell/names.ts";
import type { ParsedText } from "../../lib/typescript/parse.ts";
import { walk } from "../../lib/typescript/walk.ts";
import { type Surrounded, surround } from "./insertions.ts";
import { LIBRARY_NN, LIBRARY_TENSOR } from "./notebook.ts";
import { isReshaping, reshapesTensors } from "./reshaping.ts";

const OPEN = `${RESERVED_PREFIX}open`;
/** For a container: widens what is inside it. A tensor's own type stays. */
const OPEN_INSIDE = `${RESERVED_PREFIX}open_inside`;

const LAYERS = ["Linear", "Embedding", "Sequential", "Conv1d", "Conv2d"];

/** Stands above the cell, on the line of its imports. */
export const OPEN_DECLARATION = [
  `type ${OPEN}_Held<T> = T extends (infer E)[] ? 0 extends 1 & E ? T : [E] extends [never] ? T : E extends ${LIBRARY_TENSOR} ? ${LIBRARY_TENSOR}[] : T :`,
  `T extends Map<infer K, infer V> ? 0 extends 1 & V ? T : [V] extends [${LIBRARY_TENSOR}] ? Map<K, ${LIBRARY_TENSOR}> : T :`,
  `T extends Set<infer E> ? 0 extends 1 & E ? T : [E] extends [never] ? T : [E] extends [${LIBRARY_TENSOR}] ? Set<${LIBRARY_TENSOR}> : T : T;`,
  `declare function ${OPEN}<T>(value: T): T extends ${LIBRARY_TENSOR} ? ${LIBRARY_TENSOR} :`,
  ...LAYERS.map((layer) => `T extends ${LIBRARY_NN}.${layer} ? ${LIBRARY_NN}.${layer} :`),
  `${OPEN}_Held<T>;`,
  `declare function ${OPEN_INSIDE}<T>(value: T): T extends ${LIBRARY_TENSOR} ? T : ${OPEN}_Held<T>;`,
].join(" ");

/** Null if the cell has nothing to widen, or cannot be parsed. */
export function withWidenedTypes({ text, program, problem }: ParsedText): Surrounded | null {
  if (problem !== null) return null;
  const slots = slotsOf(program, reshapesTensors(text));
  if (slots.length === 0) return null;
  return surround(text, slots, ({ before }) => before);
}

interface Slot {
  readonly start: number;
  readonly end: number;
  /** `__mpslab_open(`, or `weights: __mpslab_open(` in the short `{ weights }`. */
  readonly before: string;
}

function slotsOf(program: Node, reshapes: boolean): Slot[] {
  const { assigned, grown } = changedNames(program);
  const slots = new Map<Node, string>();
  const open = (value: Node | null | undefined, call = OPEN): void => {
    if (!value) return;
    if (value.type === "ArrayExpression") for (const element of value.elements) open(element);
    else if (value.type === "ObjectExpression") {
      for (const property of value.properties) {
        if (property.type !== "Property") continue;
        const { shorthand, value: held } = property;
        if (shorthand && held.type === "Identifier") slots.set(held, `${held.name}: ${OPEN}(`);
        else open(held);
      }
    } else if (MAY_BE_TENSOR.has(value.type)) slots.set(value, `${call}(`);
  };
  walk(program, (node) => {
    if (node.type === "VariableDeclaration" && !node.declare) {
      for (const { id, init } of node.declarations) {
        if (id.type !== "Identifier" || id.typeAnnotation || init === null) continue;
        const isSlot =
          reshapes ||
          assigned.has(id.name) ||
          init.type === "ArrayExpression" ||
          init.type === "ObjectExpression";
        if (isSlot) open(init);
        else if (grown.has(id.name)) open(init, OPEN_INSIDE);
      }
    } else if (node.type === "PropertyDefinition" && !node.typeAnnotation && !node.readonly) open(node.value);
    else if (node.type === "ReturnStatement" && node.argument?.type === "ObjectExpression")
      open(node.argument);
  });
  return Array.from(slots, ([{ start, end }, before]) => ({ start, end, before }));
}

const MAY_BE_TENSOR: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "AwaitExpression",
  "CallExpression",
  "ConditionalExpression",
  "Identifier",
  "MemberExpression",
  "NewExpression",
]);

/** Methods that add to a list, a map or a set. */
const ADDS = new Set(["push", "unshift", "splice", "fill", "set", "add"]);

/**
 * Names on the left of an assignment, names whose tensors are reshaped in place, and names of containers to which
 * something is added.
 */
function changedNames(program: Node): Readonly<Record<"assigned" | "grown", ReadonlySet<string>>> {
  const assigned = new Set<string>();
  const grown = new Set<string>();
  walk(program, (node) => {
    if (node.type === "AssignmentExpression") {
      walk(node.left, (part) => {
        if (part.type === "Identifier") assigned.add(part.name);
      });
    } else if (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
      const { object, property } = node.callee;
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      if (isReshaping(property.name)) assigned.add(object.name);
      else if (ADDS.has(property.name)) grown.add(object.name);
    }
  });
  return { assigned, grown };
}
