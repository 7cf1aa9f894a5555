// Commands that read a notebook, on a machine that has the kernel and no Jupyter.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { JupyterTools } from "../../helpers/jupyter_tools.ts";

const CLI = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");
const tools = new JupyterTools();
afterAll(() => tools.remove());

it.each(["execute", "replay", "papermill"])("%s says in a sentence that there is none", (command) => {
  tools.writeNotebook("one.ipynb", ["1 + 1"]);
  const prefix = path.join(tools.directory, "nowhere");
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, command, "one.ipynb"], {
    cwd: tools.directory,
    env: { ...tools.environment, MPSLAB_PREFIX: prefix },
    encoding: "utf8",
  });
  expect(stderr).toBe(
    `mpslab: A notebook is read and shown by Jupyter's programs, and ${prefix} has none: run pip install jupyterlab nbclient nbconvert.\n`,
  );
  expect(stdout).toBe("");
  expect(status).toBe(1);
});
