// Checks whether a value is a notebook, by the schema of its own version. The schemas are those of nbformat, which
// set-up installs with Jupyter. Knows no files of notebooks.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type AnySchemaObject } from "ajv";
import { pythonPrefix } from "../../../lib/installation/package.ts";
import { WAY_OUT } from "../../../lib/installation/ways_out.ts";
import { CommandError, venvProgram } from "../project.ts";

/**
 * Returns the first problem of a notebook, or null for a valid one.
 * @throws CommandError where there is no Jupyter
 */
export function invalidity(notebook: unknown, minor: number): string | null {
  const { $schema: _draft04, ...schema } = JSON.parse(
    readFileSync(schemaFile(minor), "utf8"),
  ) as AnySchemaObject;
  // The schemas are of draft 4, and use nothing that ajv's newer drafts read differently.
  const ajv = new Ajv({ strict: false, logger: false });
  return ajv.validate(schema, notebook) ? null : ajv.errorsText();
}

/** A minor version that nbformat does not know yet is checked by its newest schema. */
function schemaFile(minor: number): string {
  const folder = join(nbformatFolder(), "v4");
  const ofMinor = `nbformat.v4.${minor}.schema.json`;
  return join(folder, readdirSync(folder).includes(ofMinor) ? ofMinor : "nbformat.v4.schema.json");
}

function nbformatFolder(): string {
  const libraries = join(pythonPrefix(), "lib");
  const pythons = existsSync(libraries) ? readdirSync(libraries) : [];
  const own = pythons.map((name) => join(libraries, name, "site-packages", "nbformat")).find(existsSync);
  if (own !== undefined) return own;
  // An environment may use packages from outside its own folder. Asking Python for the path takes a tenth of a second.
  const { stdout } = spawnSync(venvProgram("python"), ["-c", FIND], { encoding: "utf8" });
  const found = stdout?.trim() ?? "";
  if (found !== "") return found;
  throw new CommandError(
    `A notebook is read and shown by Jupyter's programs, and ${pythonPrefix()} has none: run ${WAY_OUT.jupyter}.`,
  );
}

const FIND =
  "import importlib.util; spec = importlib.util.find_spec('nbformat'); print(spec.submodule_search_locations[0] if spec else '')";
