// What `npm start` opens, in a clone that is set up.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

it("npm start opens JupyterLab on the notebooks, in a folder that has the guides which lessons link to", () => {
  const { stdout } = spawnSync(
    process.execPath,
    [path.join(root, "native", "setup.mjs"), "start", "--show-config-json"],
    { encoding: "utf8" },
  );
  const { ServerApp, LabApp } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
  expect(ServerApp!["root_dir"]).toBe(root);
  expect(LabApp!["default_url"]).toBe("/lab/tree/notebooks");
});
