// Formats the documentation of a name, and the signatures of a call, as Markdown and as plain text.
import { withDefaults } from "./defaults.ts";
import { withoutModules } from "../diagnostics.ts";
import { CELL_MODULE, NAMES_MODULE } from "../notebook.ts";
import { closing, hidesRest, inLines, withoutAlgebra } from "./signature_text.ts";

export interface Hover {
  /** Markdown: the type in a fenced block, then the documentation. */
  readonly markdown: string;
  readonly text: string;
}

export interface ServerHover {
  readonly contents: { readonly value: string } | string;
}

type ServerText = { readonly value: string } | string | undefined;

interface ServerSignature {
  readonly label: string;
  readonly documentation?: ServerText;
  readonly parameters?: readonly { readonly label: string; readonly documentation?: ServerText }[];
}

export interface ServerSignatures {
  readonly signatures: readonly ServerSignature[];
  readonly activeSignature?: number | null;
  readonly activeParameter?: number | null;
}

export function hoverOf(answer: ServerHover | null): Hover | null {
  if (answer === null) return null;
  // The names of other cells are imports to the checker and variables to the user.
  const value = withoutModules(textOf(answer.contents))
    .replace(/^(```\w*\n)\(alias\) /, "$1")
    .replace(OWN_IMPORT, "");
  const markdown = documented(
    value.replace(/^(```\w*\n)([^]*?)(?=\n```)/, (_, fence, code) => fence + readable(code)),
  );
  return markdown === "" || UNKNOWN.test(markdown) ? null : { markdown, text: plain(markdown) };
}

/** The server's text for an unknown name, and for a member of one. */
const UNKNOWN = /^```\w*\nany\n```\s*$/;

const OWN_IMPORT = new RegExp(
  String.raw`\nimport [^\n]*(?:${NAMES_MODULE}|${CELL_MODULE}|"mpslab")[^\n]*`,
  "g",
);

/** More overloads than these would not help a reader. */
const MAX_SIGNATURES = 6;

/** The signatures of the call in whose arguments the cursor stands: the active one first, with its parameter marked. */
export function hoverOfSignatures(answer: ServerSignatures | null): Hover | null {
  if (answer === null || answer.signatures.length === 0) return null;
  const active = answer.signatures[answer.activeSignature ?? 0] ?? answer.signatures[0]!;
  const { documentation, parameters = [] } = active;
  const parameter = parameters[answer.activeParameter ?? 0];
  const label = readableSignature(active);
  // A form that stands twice is shown once: first it completes options, last it explains them.
  const others = [...new Set(answer.signatures.map(readableSignature))].filter((other) => other !== label);
  const shown = others.slice(0, MAX_SIGNATURES - 1).map(inLines);
  if (others.length > shown.length) shown.push(`// and ${others.length - shown.length} more`);
  const marked = withMark(inLines(label), withoutSemicolons(parameter?.label ?? ""));
  const code = [marked, ...shown].join("\n");
  const about = textOf(parameter?.documentation);
  const name = nameOf(parameter?.label ?? "");
  const words = [about === "" ? "" : `\`${name}\`: ${about}`, textOf(documentation)].filter(
    (text) => text !== "",
  );
  const markdown = documented(`\`\`\`typescript\n${code}\n\`\`\`\n${words.join("\n\n")}`);
  return { markdown, text: plain(markdown) };
}

/**
 * Replaces a signature that lists the arguments of the call by the method's declared one: `at()` and `at(indices_0)` by
 * `at(...indices)`.
 */
export function withDeclared(answer: ServerSignatures, declared: ServerHover | null): ServerSignatures {
  const code = fenced(hoverOf(declared)).replaceAll(/(?<=\()\n +|,?\n(?=\))/g, "");
  const label = /^\w+\n\(method\) [\w.<>]*?(\w+\(\.\.\.[^]*)$/.exec(code)?.[1];
  const { signatures, activeSignature } = answer;
  const active = signatures[activeSignature ?? 0] ?? signatures[0];
  if (label === undefined || active === undefined || !hidesRest(active.label)) return answer;
  return { signatures: [{ ...active, label, parameters: [] }] };
}

/** The code in the hover's fenced block, with the name of the language. */
function fenced(hover: Hover | null): string {
  return hover === null ? "" : (/^```(\w*\n[^]*?)\n```/.exec(hover.markdown)?.[1] ?? "");
}

/** Whether the signature may list the call's arguments in place of a rest parameter. */
export function hidesParameters({ signatures }: ServerSignatures): boolean {
  return signatures.length === 1 && hidesRest(signatures[0]!.label);
}

/** Whether the hover has more than a type. */
export function isDocumented({ markdown }: Hover): boolean {
  return splitFence(markdown)[1].trim() !== "";
}

/** A signature with the documentation of the name that is called. */
export function documentedBy({ markdown: signature }: Hover, called: Hover | null): Hover {
  const words = called === null ? "" : splitFence(called.markdown)[1].trim();
  const markdown = words === "" ? signature : `${signature}\n\n${words}`;
  return { markdown, text: plain(markdown) };
}

function readableSignature({ label, documentation }: ServerSignature): string {
  const code = withoutModules(withoutSemicolons(label));
  return withDefaults(withoutAlgebra(code), textOf(documentation));
}

/** A longer line may be broken by the page, so that a mark as long as its parameter would point at nothing. */
const MARKED = 60;

/** `add(other: Tensor, alpha?: number): Tensor`  ->  `                   ^^^^^^^^^^^^^^` below the line of its second parameter. */
function withMark(label: string, parameter: string): string {
  const opening = label.indexOf("(");
  const end = opening < 0 ? 0 : closing(label, opening);
  for (let at = opening + 1; at < end; at++) {
    const start = at;
    for (; at < end && label[at] !== ","; at++)
      if ("<([{".includes(label.charAt(at))) at = closing(label, at);
    const written = label.slice(start, at).trimStart();
    // An argument of a rest parameter is printed under a name of its own: `indices_1`.
    if (
      nameOf(written) === nameOf(parameter) ||
      (written.startsWith("...") && isRestOf(written, parameter))
    ) {
      const column = at - written.length - (label.lastIndexOf("\n", at - written.length) + 1);
      const next = label.indexOf("\n", at);
      const line = next < 0 ? label.length : next;
      const { length } = label.includes("\n") && line - column > MARKED ? nameOf(written) : written.trimEnd();
      return `${label.slice(0, line)}\n${" ".repeat(column)}${"^".repeat(length)}${label.slice(line)}`;
    }
  }
  return label;
}

const isRestOf = (written: string, parameter: string): boolean =>
  parameter === "" || nameOf(parameter).replace(/_\d+$/, "") === nameOf(written);

/** The signatures of a call in whose arguments no cursor stands. */
export function withoutMark({ markdown: marked }: Hover): Hover {
  const markdown = marked.replace(/\n *\^+(?=\n)/, "");
  return { markdown, text: plain(markdown) };
}

/** `...xs: number[]`  ->  `xs` */
const nameOf = (parameter: string): string => parameter.replace(/^\.\.\.|[?:].*/gs, "");

/** `{ dtype?: DType; }`  ->  `{ dtype?: DType }` */
function withoutSemicolons(code: string): string {
  return code.replace(/; \}/g, " }");
}

const WIDEST = 100;
const IS_CALL = /^(?:\((?:method|property)\) |function |constructor |new )[\w.$]+(?:<[^]*?>)?\(/;

/** A type as a person would write it: without module paths, and an object's type on one line if it fits. */
function readable(code: string): string {
  return code
    .replace(/^module "[^"]*\/lib\/(?:[^"]*\/)?([\w]+)"/gm, "namespace $1")
    .split(/\n(?=\S(?![)\]};]))(?!\}|\))/)
    .map((declared) => {
      const declaration = withoutAlgebra(declared);
      const line = withoutSemicolons(declaration.replace(/\s*\n\s*/g, " "));
      return line.length <= WIDEST || IS_CALL.test(line) ? inLines(line) : declaration;
    })
    .join("\n");
}

/**
 * The tags of a comment as a reader expects them:
 *
 *     *@param* `rate` — the first   ->   **Parameters**\n- `rate`: the first
 */
function documented(markdown: string): string {
  const [code = "", words = ""] = splitFence(markdown.trim());
  const parameters = [...words.matchAll(TAG_PARAMETER)].map(
    ([, name, about = ""]) => `- ${name}${about ? `: ${about.trim()}` : ""}`,
  );
  let isListed = false;
  const text = words
    .replace(TAG_PARAMETER, () => {
      if (isListed) return "";
      isListed = true;
      return `\n\n**Parameters**\n\n${parameters.join("\n")}\n\n`;
    })
    .replace(
      /^\*@(returns?|throws|example|since|deprecated|default|see)\*(?: — )?/gm,
      (_, tag: string) => `**${TAGS[tag]}** `,
    )
    .replace(/```tsx\n/g, "```typescript\n")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return text === "" ? code : code === "" ? text : `${code}\n\n${text}`;
}

const TAG_PARAMETER = /^\*@param\* (`[^`]+`)(?: — ((?:[^\n]|\n(?!\n|\*@))*))?\n*/gm;

const TAGS: Readonly<Record<string, string>> = {
  return: "Returns",
  returns: "Returns",
  throws: "Throws",
  example: "Example",
  since: "Since",
  deprecated: "Deprecated",
  default: "Default",
  see: "See",
};

/** The fenced type at the beginning, and what stands below it. */
function splitFence(markdown: string): [code: string, words: string] {
  const fence = /^```\w*\n[^]*?\n```(?=\n|$)/.exec(markdown)?.[0] ?? "";
  return [fence, markdown.slice(fence.length)];
}

/** Removes the marks of Markdown, for front ends that show text. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```\w*\n?/gm, "")
    .replace(/\*\*(\w+)\*\*/g, "$1:")
    .replace(/\[([^\]]+)\]\((?:https?:[^)\s]*)\)/g, "$1")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function textOf(text: ServerText): string {
  return typeof text === "string" ? text : (text?.value ?? "");
}
