// Inserts calls into the loops, functions and awaits of a cell, so that it can be interrupted and epochs can flush.
// Edits a MagicString and leaves top-level declarations alone.
// What a function prints is without them: `own_texts.ts`.
import type { MagicString } from "magic-string";
import type { Node, Program, TryStatement } from "oxc-parser";
import type { FoundEpochLoop } from "./epochs.ts";
import { RESERVED_PREFIX, RUNTIME } from "../names.ts";
import {
  childrenOf,
  isFunction,
  isLoop,
  type FunctionNode,
  type LoopNode,
} from "../../../lib/typescript/walk.ts";

const CHECK = `if (${RUNTIME.stop}[0]) ${RUNTIME.interrupted}();`;
const CHECK_EXPRESSION = `${RUNTIME.stop}[0] && ${RUNTIME.interrupted}()`;
const LOOP = `${RESERVED_PREFIX}loop`;
const ERROR = `${RESERVED_PREFIX}error`;

/** An epoch loop with the line of its cell where it begins, 1-based, and whether its epochs flush. */
export interface EpochLoopAt extends FoundEpochLoop {
  readonly line: number;
  readonly flush: boolean;
}

/**
 * Children are edited before their parents. Of insertions at one place the outer one therefore comes last: it goes
 * before what is there at a start (`prependRight`) and after it at an end (`appendLeft`).
 */
export function insertChecks(
  program: Program,
  epochLoops: readonly EpochLoopAt[],
  output: MagicString,
): void {
  const byLoop = new Map<Node, EpochLoopAt>(epochLoops.map((found) => [found.loop, found]));
  const byStatement = new Map<Node, EpochLoopAt>(epochLoops.map((found) => [found.statement, found]));
  edit(program);

  function edit(node: Node): void {
    for (const child of childrenOf(node)) edit(child);
    if (isFunction(node)) checkFunction(node, output);
    else if (isLoop(node)) checkLoop(node, byLoop.has(node), output);
    else editExpression(node, output);
    const epochLoop = byStatement.get(node);
    if (epochLoop) openAndClose(epochLoop, output);
  }
}

function checkFunction(node: FunctionNode, output: MagicString): void {
  const { body } = node;
  if (!body) return;
  if (body.type === "BlockStatement") {
    // The check may stand before `super()`, because it does not touch `this`.
    output.appendLeft(body.start + 1, ` ${CHECK}`);
  } else {
    // (x) => x + 1   ->   (x) => (__mpslab_stop[0] && __mpslab_interrupted(), x + 1)
    output.prependRight(body.start, `(${CHECK_EXPRESSION}, `);
    output.appendLeft(body.end, ")");
  }
}

function checkLoop(node: LoopNode, isEpochLoop: boolean, output: MagicString): void {
  // This comes before `await` is wrapped around it, because the `await` must be outside.
  if (node.type === "ForOfStatement" && isEpochLoop) wrap(node.right, `${LOOP}.over(`, ")", output);
  if (node.type === "ForOfStatement" && node.await) wrap(node.right, `${RUNTIME.awaitEach}(`, ")", output);
  const head = isEpochLoop ? ` ${CHECK} ${LOOP}.begin(); try {` : ` ${CHECK}`;
  const tail = isEpochLoop
    ? `} catch (${ERROR}) { ${LOOP}.cut(); throw ${ERROR}; } finally { ${LOOP}.end(); } `
    : "";
  const { body } = node;
  if (body.type === "BlockStatement") {
    output.appendLeft(body.start + 1, head);
    output.appendLeft(body.end - 1, tail);
  } else {
    wrap(body, `{${head} `, ` ${tail}}`, output);
  }
}

/**
 * A `catch` keeps no interrupt: the check at its head throws it again. A `finally`, and a `catch` that names
 * KeyboardInterrupt, run to their end.
 */
function checkTry({ handler, finalizer }: TryStatement, output: MagicString): void {
  if (finalizer) asCleanup(finalizer, "", output);
  if (!handler) return;
  const isMeant = output.original.slice(handler.start, handler.end).includes("KeyboardInterrupt");
  if (isMeant) asCleanup(handler.body, ` ${CHECK}`, output);
  else output.appendLeft(handler.body.start + 1, ` ${CHECK}`);
}

function asCleanup({ start, end }: Node, after: string, output: MagicString): void {
  output.appendLeft(start + 1, ` ${RUNTIME.cleanup}(1); try {`);
  output.appendLeft(end - 1, `} finally { ${RUNTIME.cleanup}(-1); }${after} `);
}

/** The value of `try` is that of its block, so the loop's value stays what it was. */
function openAndClose(
  { statement, variable, line, flush, explicit, guess }: EpochLoopAt,
  output: MagicString,
): void {
  const more = `${explicit ? ", explicit: true" : ""}${flush ? "" : ", flush: false"}${guess === null ? "" : `, guess: ${JSON.stringify(guess)}`}`;
  const description = `{ variable: ${JSON.stringify(variable)}, line: ${line}${more} }`;
  wrap(
    statement,
    `{ const ${LOOP} = ${RUNTIME.epochs}(${description}); try {\n`,
    `\n} finally { ${LOOP}.close(); } }`,
    output,
  );
}

function editExpression(node: Node, output: MagicString): void {
  switch (node.type) {
    case "StaticBlock":
      output.appendLeft(output.original.indexOf("{", node.start) + 1, ` ${CHECK}`);
      return;
    case "AwaitExpression":
      wrap(node.argument, `${RUNTIME.await}(`, ")", output);
      return;
    case "TryStatement":
      checkTry(node, output);
      return;
    case "ThrowStatement":
      if (node.argument.type !== "NewExpression") wrap(node.argument, `${RUNTIME.thrown}(`, ")", output);
      return;
    case "ImportExpression":
      output.update(node.start, node.start + "import".length, RUNTIME.import);
      return;
    case "MetaProperty":
      if (node.meta.name === "import") output.update(node.start, node.end, RUNTIME.meta);
      return;
    default:
  }
}

function wrap({ start, end }: Node, before: string, after: string, output: MagicString): void {
  output.prependRight(start, before);
  output.appendLeft(end, after);
}
