// What a cell may put another tensor into: a `let` that is assigned again, a field, an element, a property. TypeScript
// widens the 2 of `let n = 2` to number, and has no such rule for the shape of `let x = torch.zeros([2])`; here their
// tensors become plain ones, of which nothing is known, and so do layers. Where a cell reshapes tensors in place, all do. Text in, text out; knows no server.
//
//     let x = torch.zeros([2]); x = torch.ones([3]);
//     let x = __mpslab_open(torch.zeros([2])); x = torch.ones([3]);
import type { Node } from "oxc-parser";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { parseTypeScript } from "../cell/parse.ts";
import { walk } from "../cell/walk.ts";
import { type Surrounded, surround } from "./insertions.ts";
import { LIBRARY_NN, LIBRARY_TENSOR } from "./notebook.ts";
import { isReshaping, reshapesTensors } from "./reshaping.ts";

const OPEN = `${RESERVED_PREFIX}open`;

/** Stands above the cell, on the line of its imports. */
export const OPEN_DECLARATION =
  `declare function ${OPEN}<T>(value: T): T extends ${LIBRARY_TENSOR} ? ${LIBRARY_TENSOR} : ` +
  ["Linear", "Embedding", "Sequential", "Conv1d", "Conv2d"]
    .map((layer) => `T extends ${LIBRARY_NN}.${layer} ? ${LIBRARY_NN}.${layer} : `)
    .join("") +
  "T;";

/** Null where nothing can be assigned to, or the text cannot be parsed. */
export function withOpenSlots(text: string): Surrounded | null {
  const { program, problem } = parseTypeScript(text);
  if (problem !== null) return null;
  const slots = slotsOf(program, reshapesTensors(text));
  if (slots.length === 0) return null;
  return surround(text, slots, `${OPEN}(`, ")");
}

function slotsOf(program: Node, reshapes: boolean): Node[] {
  const assigned = assignedNames(program);
  const slots = new Set<Node>();
  const open = (value: Node | null | undefined): void => {
    if (!value) return;
    if (value.type === "ArrayExpression") for (const element of value.elements) open(element);
    else if (value.type === "ObjectExpression") {
      for (const property of value.properties) if (property.type === "Property") open(property.value);
    } else if (MAY_BE_TENSOR.has(value.type)) slots.add(value);
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
      }
    } else if (node.type === "PropertyDefinition" && !node.typeAnnotation && !node.readonly) open(node.value);
  });
  return [...slots];
}

const MAY_BE_TENSOR: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "AwaitExpression",
  "CallExpression",
  "ConditionalExpression",
  "Identifier",
  "MemberExpression",
  "NewExpression",
]);

/** Names that stand on the left of an assignment, or whose tensors are reshaped in place. */
function assignedNames(program: Node): ReadonlySet<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (node.type === "AssignmentExpression") {
      walk(node.left, (part) => {
        if (part.type === "Identifier") names.add(part.name);
      });
    } else if (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
      const { object, property } = node.callee;
      if (object.type === "Identifier" && property.type === "Identifier" && isReshaping(property.name))
        names.add(object.name);
    }
  });
  return names;
}
