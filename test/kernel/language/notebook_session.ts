// A notebook as the kernel drives the language room: compile, check, run (or pretend to), commit.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Bindings, NO_BINDINGS, commit } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { type CellText, cellText, LanguageService } from "../../../kernel/language/service.ts";

export class NotebookSession {
  readonly directory: string;
  readonly service: LanguageService;
  #bindings: Bindings = NO_BINDINGS;
  #count = 0;

  constructor(files: Readonly<Record<string, string>> = {}, directory?: string) {
    this.directory = directory ?? mkdtempSync(path.join(tmpdir(), "mpslab-language-"));
    mkdirSync(this.directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.service = new LanguageService(this.directory);
  }

  write(name: string, text: string): void {
    const file = path.join(this.directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  get nextCount(): number {
    return this.#count + 1;
  }

  compile(text: string): CellText {
    const compiled = compile(text, this.#bindings, { script: String(++this.#count), flush: false });
    return cellText(compiled, this.#count);
  }

  /** Returns the checker's errors for a cell that is not run: `line:column TScode message`, behind its file if it has one. */
  problems(text: string): Promise<string[]> {
    return this.#problems(text, this.compile(text));
  }

  async #problems(text: string, cell: CellText): Promise<string[]> {
    const found = await this.service.check(cell);
    return found.map(({ start, code, category, message, ...problem }) => {
      const file = "file" in problem ? problem.file : null;
      const before = (file?.text ?? text).slice(0, start).split("\n");
      const place = `${file === null ? "" : `${file.name} `}${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
      return `${place} ${category === "error" ? "" : `${category} `}TS${code}: ${message}`;
    });
  }

  /** Checks a cell and, if nothing is wrong, commits it. `lost`: names that a failing cell did not initialise. */
  async run(text: string, lost: readonly string[] = []): Promise<string[]> {
    const cell = this.compile(text);
    const problems = await this.#problems(text, cell);
    if (problems.length === 0) this.#commit(cell, lost);
    return problems;
  }

  /** Commits a cell as under `%check off`: the cell ran, whatever its types. */
  commit(text: string): void {
    this.#commit(this.compile(text), []);
  }

  #commit(cell: CellText, lost: readonly string[]): void {
    const kept = cell.declared.filter(({ name }) => !lost.includes(name));
    this.#bindings = commit(this.#bindings, kept, new Set(kept.map(({ runtimeName }) => runtimeName)));
    this.service.commit(cell, new Set(kept.map(({ name }) => name)));
  }

  /** Type of an expression as a later cell sees it, through the words of an error. */
  async typeOf(expression: string): Promise<string> {
    const [problem = ""] = await this.problems(`const probe: { __probe: 1 } = ${expression};`);
    return (
      /(?:in type '(.*)' but required in type|Type '(.*)' is not assignable to type)/
        .exec(problem)
        ?.slice(1)
        .find(Boolean) ?? problem
    );
  }

  async completions(text: string): Promise<string[]> {
    const offset = text.indexOf("|");
    const { items } = await this.service.complete(text.replace("|", ""), offset);
    return items.map((item) => item.text);
  }

  async hover(text: string): Promise<string | undefined> {
    const offset = text.indexOf("|");
    return (await this.service.hover(text.replace("|", ""), offset))?.text;
  }

  close(): void {
    this.service.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
