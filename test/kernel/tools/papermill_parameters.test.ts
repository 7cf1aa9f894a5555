// The two programs that write parameters as TypeScript, ours for `mpslab papermill` and the translator that papermill
// loads, write the same text and refuse the same names: both read one fixture.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Notebook } from "../../../kernel/cli/notebook/format.ts";
import { PROJECT_ROOT, venvProgram } from "../../../kernel/cli/project.ts";
import { parseYaml } from "../../../kernel/cli/sweep/grid.ts";
import { injectParameters, isVariableName } from "../../../kernel/cli/sweep/parameters.ts";
import cases from "../../fixtures/papermill_parameters.json" with { type: "json" };

const names = [...cases.names.accepted, ...cases.names.refused];

/** What is asked of either program: cells of declarations, YAML for `value`, and names. */
interface Answers {
  readonly values: readonly string[];
  readonly declarations: readonly string[];
  readonly accepted: readonly string[];
}

function typeScript(): Answers {
  const injected = (declared: string, yaml: string): string => {
    const notebook = {
      cells: [{ cell_type: "code", source: declared, metadata: { tags: ["parameters"] } }],
    } as unknown as Notebook;
    injectParameters(notebook, { value: parseYaml(yaml) });
    return notebook.cells[1]!.source;
  };
  return {
    values: Object.keys(cases.values).map((yaml) => injected("", yaml)),
    declarations: Object.keys(cases.declarations).map((declared) => injected(declared, "3")),
    accepted: names.filter(isVariableName),
  };
}

const PROGRAM = `
import json, sys, yaml
from papermill.exceptions import PapermillException
from papermill.iorw import NoDatesSafeLoader
from mpslab_papermill import TypeScriptTranslator

def injected(declared, text):
    TypeScriptTranslator.inspect({"source": declared})
    return TypeScriptTranslator.codify({"value": yaml.load(text, Loader=NoDatesSafeLoader)})

def is_accepted(name):
    try:
        return TypeScriptTranslator.codify({name: 1}) is not None
    except PapermillException:
        return False

cases = json.load(sys.stdin)
print(json.dumps({
    "values": [injected("", text) for text in cases["values"]],
    "declarations": [injected(declared, "3") for declared in cases["declarations"]],
    "accepted": [name for name in cases["names"]["accepted"] + cases["names"]["refused"] if is_accepted(name)],
}))
`;

/** The module as it stands in the repository, not as set-up last installed it. */
function papermill(): Answers {
  const printed = execFileSync(venvProgram("python"), ["-c", PROGRAM], {
    input: JSON.stringify(cases),
    encoding: "utf8",
    env: { ...process.env, PYTHONPATH: path.join(PROJECT_ROOT, "kernel", "papermill") },
  });
  return JSON.parse(printed) as Answers;
}

describe.each([
  ["mpslab papermill", typeScript],
  ["papermill's translator", papermill],
])("%s", (_, answer) => {
  const answers = answer();
  const cell = (line: string): string => `// Parameters\n${line}\n`;

  it.each(Object.entries(cases.values).map((value, at) => [...value, at] as const))(
    "writes %s as %s",
    (_yaml, line, at) => {
      expect(answers.values[at]).toBe(cell(line));
    },
  );

  it.each(Object.entries(cases.declarations).map((declaration, at) => [...declaration, at] as const))(
    "below %s writes %s",
    (_declared, line, at) => {
      expect(answers.declarations[at]).toBe(cell(line));
    },
  );

  it("refuses names that no variable can have", () => {
    expect(answers.accepted).toEqual(cases.names.accepted);
  });
});
