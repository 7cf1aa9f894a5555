// Reads one line of documentation for each operator, and one for each of its options, from libtorch's docstrings. If
// libtorch lacks its Python files, the declarations name the operator only.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { camelCase } from "./names.ts";

/** Later files win; the first two document most functions in words that fit their methods too. */
const FILES = [
  "nn/functional.py",
  "functional.py",
  "linalg/__init__.py",
  "fft/__init__.py",
  "special/__init__.py",
  "_tensor_docs.py",
  "_torch_docs.py",
];

/**
 * Matches `add_docstr(torch.add, r"""...""" + r"""..."""` and, in `_tensor_docs.py`, `add_docstr_all("add_",
 * r"""..."""`.
 */
const ATTACHED =
  /add_docstr(?:_all)?\(\s*(?:"(\w+)"|[\w.]*?(\w+)),\s*r?"""([\s\S]*?)"""(?:\s*\+\s*r?"""([\s\S]*?)""")?/g;

/** `def relu(input: Tensor) -> Tensor:  # comment` and its docstring. */
const DEFINED = /^def (\w+)\([^#]*?\)(?: -> [^\n]*)?:[^\n]*\n {4}r?"""([\s\S]*?)"""/gm;

/** What libtorch's docstrings say of its operators, by the operator's own name: `linalg_norm`, `add_`. */
export interface Docstrings {
  readonly summaries: ReadonlyMap<string, string>;
  /** A sentence for each argument of an operator, by the argument's name there: `memory_format`. */
  readonly arguments: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Sentences of arguments that many operators have. */
  readonly common: ReadonlyMap<string, string>;
}

export function readDocstrings(torchFolder: string): Docstrings {
  const summaries = new Map<string, string>();
  const described = new Map<string, ReadonlyMap<string, string>>();
  const common = new Map<string, string>();
  const add = (name: string | undefined, docstring: string) => {
    if (name === undefined) return;
    const summary = summarize(docstring);
    if (summary !== "") summaries.set(name, summary);
    const sentences = sentencesOf(docstring);
    if (sentences.size > 0) described.set(name, sentences);
  };
  for (const file of FILES) {
    const full = path.join(torchFolder, file);
    if (!existsSync(full)) continue;
    const source = readFileSync(full, "utf8");
    for (const [, shared = ""] of source.matchAll(SHARED))
      for (const [name, sentence] of sentencesOf(shared)) if (!common.has(name)) common.set(name, sentence);
    for (const [, name, docstring = ""] of source.matchAll(DEFINED))
      add(name, docstring.replaceAll(/^ {4}/gm, ""));
    for (const [, method, called, first = "", second = ""] of source.matchAll(ATTACHED)) {
      add(method ?? called, `${first}\n\n${second}`);
    }
  }
  return { summaries, arguments: described, common };
}

/** `common_args = parse_kwargs("""...""")`: arguments that docstrings name as `{out}`. */
const SHARED = /^\w+ = (?:merge_dicts\(\s*\w+,\s*)?parse_kwargs\(\s*"""([\s\S]*?)"""/gm;

/** `    alpha (Number, optional): the multiplier`, with the lines below it that are indented further. */
const ARGUMENT = /^ {4}(\w+) ?\([^\n]*?\)?\): ?((?:[^\n]|\n {5,})*)/gm;

/** The first sentence of each argument that a docstring lists. Its default stands in the schema. */
function sentencesOf(docstring: string): Map<string, string> {
  const sentences = new Map<string, string>();
  for (const [, name = "", words = ""] of docstring.matchAll(ARGUMENT)) {
    const text = asWrittenHere(plain(words));
    const sentence = /^.*?\.(?= |$)(?<!e\.g\.|i\.e\.)/.exec(text)?.[0] ?? text;
    if (sentence === "" || sentence.length > 160 || /[{}]|^Default|^[Hh]as a default/.test(sentence))
      continue;
    sentences.set(name, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/[.:]$/, "")}.`);
  }
  return sentences;
}

/** A sentence about an argument with the words of this library: `true`, `testElements`, tensors that are no type. */
function asWrittenHere(text: string): string {
  return text
    .replace(/ \( ?`\\?\w+`\)|\(default: [^()]*\)/g, "")
    .replace(/\b(?:Long)?(Tensors?)\b/g, (_, word: string) => word.toLowerCase())
    .replace(/\b(True|False)\b/g, (word) => word.toLowerCase())
    .replace(/\bNone\b/g, "null")
    .replace(/`([a-z]\w*_\w+)`/g, (_, name: string) => `\`${camelCase(name)}\``)
    .replace(/`\\?\s?s\b/g, "`s")
    .replace(/\( /g, "(")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** The first sentence of the first paragraph that is prose. */
function summarize(docstring: string): string {
  const prose = docstring
    .split(/\n\s*\n/)
    .map((paragraph) => plain(paragraph))
    .find(
      (paragraph) =>
        /^[A-Z]/.test(paragraph) && !/^\w+\(|->|^See |^(Keyword )?[Aa]rgs|^Example|^Note/.test(paragraph),
    );
  if (prose === undefined) return "";
  const sentence = /^.*?\.(?= |$)(?<!e\.g\.|i\.e\.)/.exec(prose)?.[0] ?? `${prose.replace(/[.:]$/, "")}.`;
  return sentence.length > 240 ? `${sentence.slice(0, 237)}...` : sentence;
}

const SYMBOLS: Record<string, string> = {
  times: "×",
  otimes: "⊗",
  neq: "≠",
  geq: "≥",
  leq: "≤",
  mu: "μ",
  sigma: "σ",
  ast: "*",
  infty: "∞",
  left: "",
  right: "",
};

/** reStructuredText with mathematics -> one line of Markdown. */
function plain(text: string): string {
  return text
    .replace(/^\s*\.\. \w+::.*$/gm, "")
    .replace(/\\(?:text|texttt|mathrm|mathbf)\{\{?([^{}]*)\}?\}/g, "$1")
    .replace(/\\([a-z]+)/g, (whole, word: string) => SYMBOLS[word] ?? whole)
    .replace(/\s*:\w+:`~?([^`<]*?)\s*(?:<[^`]*>)?`/g, " `$1`")
    .replace(/``([^`]*)``/g, "`$1`")
    .replace(/`([^`<]+) <[^`]*>`_/g, "$1")
    .replace(/\*\//g, "* /")
    .replace(/`\s+(?=Alias for )/g, "`. ")
    .replace(/\s+/g, " ")
    .trim();
}
