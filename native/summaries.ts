// One line of documentation for each operator, from the docstrings that lie beside libtorch. A libtorch without its
// Python files gives none, and the declarations then show schemas alone.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const FILES = [
  "_tensor_docs.py",
  "_torch_docs.py",
  "nn/functional.py",
  "linalg/__init__.py",
  "fft/__init__.py",
  "special/__init__.py",
];

/** By the operator's own name: `linalg_norm`, `add_`. */
export function readSummaries(torchFolder: string): Map<string, string> {
  const summaries = new Map<string, string>();
  for (const file of FILES) {
    const full = path.join(torchFolder, file);
    if (!existsSync(full)) continue;
    const docstring = /add_docstr(?:_all)?\(\s*(?:"(\w+)"|[\w.]*?(\w+)),\s*r?"""([\s\S]*?)"""/g;
    for (const [, method, called, text = ""] of readFileSync(full, "utf8").matchAll(docstring)) {
      const name = method ?? called;
      const summary = summarize(text);
      if (name !== undefined && summary !== "") summaries.set(name, summary);
    }
  }
  return summaries;
}

/** The first sentence of the first paragraph that is prose. */
function summarize(docstring: string): string {
  const prose = docstring
    .split(/\n\s*\n/)
    .map((paragraph) => plain(paragraph))
    .find((paragraph) => /^[A-Z]/.test(paragraph) && !/^\w+\(|->|^See |^Args|^Example|^Note/.test(paragraph));
  if (prose === undefined) return "";
  const sentence = /^.*?\.(?= |$)(?<!e\.g\.|i\.e\.)/.exec(prose)?.[0] ?? `${prose.replace(/[.:]$/, "")}.`;
  return sentence.length > 240 ? `${sentence.slice(0, 237)}...` : sentence;
}

/** reStructuredText -> one line of Markdown. */
function plain(text: string): string {
  return text
    .replace(/^\s*\.\. \w+::.*$/gm, "")
    .replace(/:\w+:`~?([^`<]*?)\s*(?:<[^`]*>)?`/g, "`$1`")
    .replace(/``([^`]*)``/g, "`$1`")
    .replace(/`([^`<]+) <[^`]*>`_/g, "$1")
    .replace(/\*\//g, "* /")
    .replace(/\s+/g, " ")
    .trim();
}
