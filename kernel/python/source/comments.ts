// Puts the comments of Python back among the converted lines.
import type { Line } from "../code.ts";
import { type Comment, type Node, type Tree, visit } from "./syntax.ts";

/** A comment alone on its line stands above what followed it; one behind code stands behind it. */
export function withComments(lines: readonly Line[], { root, comments }: Tree, text: string): Line[] {
  const result = [...lines];
  const spans = longStatements(root);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  for (const comment of comments) {
    const line = lineAt(comment.from);
    const written = commentText(comment);
    const around = spans.find(({ from, to }) => from < comment.from && comment.from < to);
    const isAlone = /(?:^|\n)[ \t]*$/.test(text.slice(0, comment.from));
    const behind =
      isAlone || around !== undefined ? -1 : result.findIndex((one) => one.python === line && isCode(one));
    const found = result[behind];
    if (found !== undefined && !found.text.startsWith("%")) {
      result[behind] = { ...found, text: `${found.text} ${written}` };
      continue;
    }
    // Inside a statement of several lines, or behind a magic, it goes above.
    const above = around === undefined ? (found === undefined ? line : line - 1) : lineAt(around.from) - 1;
    const next = result.findIndex(({ python, text: one }) => python > above && (one !== "" || python > line));
    const at = next < 0 ? result.length : next;
    result.splice(at, 0, {
      text: written,
      indent: result[at]?.indent ?? 0,
      python: around === undefined ? line : above,
    });
  }
  return result;
}

/** A declaration above a block is not what the comment is about. */
const isCode = ({ text }: Line): boolean =>
  text !== "" && !text.startsWith("//") && !/^let \w+!?: \w+;$/.test(text);

function commentText({ text }: Comment): string {
  return `//${text.startsWith(" ") || text === "" ? "" : " "}${text}`.trimEnd();
}

/** Statements without a block, over several lines. */
function longStatements(root: Node): Node[] {
  const found: Node[] = [];
  visit(root, (node) => {
    if (
      node.name.endsWith("Statement") &&
      !node.children.some(({ name }) => name === "Body") &&
      node.text.trim().includes("\n")
    )
      found.push(node);
  });
  return found;
}
