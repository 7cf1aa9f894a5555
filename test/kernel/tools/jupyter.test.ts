// Jupyter's command line over this kernel: nbconvert, jupyter run, jupyter execute, jupyter console.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { JupyterTools } from "../../helpers/jupyter_tools.ts";

// Each program takes seconds to start, and several times as long beside other tests.
const tools = new JupyterTools();
afterAll(() => tools.remove());

it("nbconvert --execute runs a notebook into a page", async () => {
  tools.writeNotebook("sum.ipynb", ["const total: number = 20 + 1", "console.log('printed'); total * 2"]);
  const { status } = await tools.run("jupyter-nbconvert", ["--to", "html", "--execute", "sum.ipynb"]);
  expect(status).toBe(0);
  const page = readFileSync(path.join(tools.directory, "sum.html"), "utf8");
  expect(page).toMatch(/<pre>printed\n<\/pre>[^]*<pre>42<\/pre>/);
});

it("nbconvert without --allow-errors fails with the cell, with it goes on", async () => {
  tools.writeNotebook("wrong.ipynb", ["missing", "'still'"]);
  const args = ["--to", "notebook", "--execute", "--output", "wrong_out.ipynb", "wrong.ipynb"];
  const { status, stderr } = await tools.run("jupyter-nbconvert", args);
  expect(status).toBe(1);
  expect(stderr).toContain("Cannot find name 'missing'");
  expect((await tools.run("jupyter-nbconvert", ["--allow-errors", ...args])).status).toBe(0);
  expect(tools.readNotebook("wrong_out.ipynb")[1]?.text).toBe("'still'");
});

it("jupyter execute runs a notebook in place, and nbconvert then knows its language", async () => {
  tools.writeNotebook("execute.ipynb", ["const pair: number[] = [1, 2];", "pair.length"]);
  expect((await tools.run("jupyter-execute", ["--inplace", "execute.ipynb"])).status).toBe(0);
  expect(tools.readNotebook("execute.ipynb")[1]?.text).toBe("2");
  await tools.run("jupyter-nbconvert", ["--to", "script", "execute.ipynb"]);
  const script = readFileSync(path.join(tools.directory, "execute.ts"), "utf8");
  expect(script).toContain("const pair: number[] = [1, 2];");
});

it("jupyter run sends a file to the kernel and shows what it prints", async () => {
  writeFileSync(path.join(tools.directory, "program.ts"), "let n: number = 3;\nconsole.log(`n is ${n}`);\n");
  const { status, stdout } = await tools.run("jupyter-run", ["--kernel", "mpslab", "program.ts"]);
  expect(status).toBe(0);
  expect(stdout).toBe("n is 3\n");
});

it("jupyter console shows results and errors, and ends with its input", async () => {
  const input = "const width: number = 6\nwidth * 7\nmissing\n";
  const { status, stdout, stderr } = await tools.run(
    "jupyter-console",
    ["--kernel", "mpslab", "--simple-prompt"],
    {
      input,
    },
  );
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/Out\[2\]: 42/);
  expect(stdout + stderr).toContain("Cannot find name 'missing'");
});
