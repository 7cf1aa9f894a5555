// Recognizes habits of the shell, of IPython and of the browser, and says how to write the same in a cell. Only text that
// is already wrong is looked at, because `!ready` is valid TypeScript. Python has an answer of its own (kernel/python/).

const LINES: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^!+\s*npm\s+(.+)$/, (rest) => `packages are installed by %npm ${rest}`],
  [/^npm\s+(i|install|add|uninstall|remove|list|ls)\b(.*)$/, (verb, rest) => `write %npm ${verb}${rest}`],
  [/^!+\s*(\S.*)$/, (command) => `a shell's commands stand behind %sh: %sh ${command}`],
];

const NAMES: Readonly<Record<string, string>> = {
  self: "it is written this",
  help: "name? in a cell of its own tells about a name",
  document: 'a cell runs in Node, which has no page; display({ "text/html": "<b>text</b>" }) shows HTML',
  window: "a cell runs in Node, which has no page; globalThis has what all cells see",
  alert: "a cell runs in Node, which has no page; console.log(...) prints",
};

const MAGICS: Readonly<Record<string, string>> = {
  cd: 'process.chdir("folder") changes the folder',
  pip: "%npm install adds packages",
  conda: "%npm install adds packages",
  env: "process.env has the environment's variables",
  run: 'import "./file.ts" runs a file',
  history: "In has what was run, by its number",
  hist: "In has what was run, by its number",
  matplotlib: "charts need no preparation",
  autoreload: "files that changed are loaded again by the next import",
  load_ext: "there are no extensions; %lsmagic lists the magics",
  bash: "%%sh runs the lines below in a shell",
  html: 'display({ "text/html": "<b>text</b>" }) shows HTML',
  markdown: 'display({ "text/markdown": "**text**" }) shows Markdown',
  latex: 'display({ "text/latex": "$x^2$" }) shows a formula',
};

const SHELL = new Set(["cat", "cp", "ls", "mkdir", "mv", "pwd", "rm", "rmdir"]);

/** Returns the hint for a line that is invalid TypeScript, or null if no habit matches. */
export function hintForLine(line: string): string | null {
  const text = line.trim().replace(/;$/, "");
  for (const [pattern, say] of LINES) {
    const match = pattern.exec(text);
    if (match !== null) return say(...(match.slice(1) as string[]));
  }
  return null;
}

/** Returns the hint for an unknown name, or null. */
export function hintForName(name: string): string | null {
  return Object.hasOwn(NAMES, name) ? (NAMES[name] ?? null) : null;
}

/** Returns the hint for an unknown magic, or null. @param name without percent signs */
export function hintForMagic(name: string): string | null {
  if (SHELL.has(name)) return `a shell's commands stand behind %sh: %sh ${name}`;
  return Object.hasOwn(MAGICS, name) ? (MAGICS[name] ?? null) : null;
}
