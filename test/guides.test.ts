// Runs every TypeScript cell of the README and of the guides in a kernel, and compares what the cells show with the
// text below them. With MPSLAB_UPDATE_GUIDES=1 it writes the text instead.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cellsOf, shownBy, withoutNumbers } from "./helpers/guide.ts";
import { KernelProcess } from "./helpers/kernel_process.ts";

const root = path.resolve(import.meta.dirname, "..");
const guides = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)]
  // A Mac refuses to simulate Metal beside its own.
  .filter((name) => name.endsWith(".md") && !(process.platform === "darwin" && name === "docs/metal.md"))
  .map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") }))
  .filter(({ text }) => cellsOf(text).length > 0);

describe("the cells of", () => {
  it.each(guides)("$name show what it prints", async ({ name, text }) => {
    const directory = mkdtempSync(path.join(tmpdir(), "mpslab-guide-"));
    const kernel = await KernelProcess.start({ directory });
    let updated = text;
    try {
      for (const { code, output, measured, line } of cellsOf(text)) {
        const execution = await kernel.client.execute(code);
        const shown = shownBy(execution);
        if (process.env["MPSLAB_UPDATE_GUIDES"]) {
          if (output !== undefined) updated = withOutput(updated, code, shown);
          continue;
        }
        const where = `${name}, line ${line}`;
        if (output === undefined) {
          expect(execution.errors, where).toEqual([]);
          continue;
        }
        const compared = measured ? withoutNumbers : (whole: string) => whole;
        expect(compared(shown), where).toBe(compared(output));
      }
    } finally {
      await kernel.stop();
      rmSync(directory, { recursive: true, force: true });
    }
    if (updated !== text) writeFileSync(path.join(root, name), updated);
  });
});

/** Replaces the text block below this code. */
function withOutput(markdown: string, code: string, shown: string): string {
  const after = markdown.indexOf(`\`\`\`ts\n${code}\n\`\`\``) + code.length + 10;
  const block = /^```text( measured)?\n[^]*?^```$/m.exec(markdown.slice(after))!;
  const start = after + block.index;
  const replaced = `\`\`\`text${block[1] ?? ""}\n${shown}\n\`\`\``;
  return markdown.slice(0, start) + replaced + markdown.slice(start + block[0].length);
}
