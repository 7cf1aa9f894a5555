// Runs what a cell cannot: lines of Python beside the text of the installed PyTorch, and JavaScript in a new process,
// whose environment variables libtorch has not read yet.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The kernel's own copy. A folder of notebooks beside a wheel has no `node_modules` that a plain Node would find. */
const MPSLAB = import.meta.resolve("mpslab");
/** The folder of the package: the module lies in `dist/bundle/lib`. */
const folder = fileURLToPath(new URL("../../../", MPSLAB));

/**
 * Evaluates each text of its input and answers with its value, or with the first line of its error. PyTorch is read,
 * not imported: set-up installs it without the libraries that its Python needs on Linux.
 */
const EVALUATE = `
import ast, importlib.util, json, pathlib, re, sys
wheel = pathlib.Path(importlib.util.find_spec("torch").submodule_search_locations[0])
def text(file):
    return (wheel / file).read_text()
def signature(file, name):
    functions = {node.name: node for node in ast.walk(ast.parse(text(file))) if isinstance(node, ast.FunctionDef)}
    return f"{name}({ast.unparse(functions[name].args)})"
def value(source):
    try:
        *body, last = ast.parse(source).body
        names = dict(globals())
        exec(compile(ast.Module(body, []), "<claim>", "exec"), names)
        return str(eval(compile(ast.Expression(last.value), "<claim>", "eval"), names))
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
print(json.dumps({name: value(source) for name, source in json.load(sys.stdin).items()}))
`;

/**
 * The values of lines of Python by name, as Python prints them; of an error its first line. The lines may call
 * `text(file)` and `signature(file, function)` of a file in the folder of PyTorch.
 */
export function python<Name extends string>(sources: Readonly<Record<Name, string>>): Record<Name, string> {
  // A wheel's launcher names the environment that it was installed into.
  const own = path.join(process.env["MPSLAB_PREFIX"] ?? path.join(folder, ".venv"), "bin/python");
  const answer = execFileSync(existsSync(own) ? own : "python3", ["-c", EVALUATE], {
    input: JSON.stringify(sources),
    encoding: "utf8",
  });
  return JSON.parse(answer) as Record<Name, string>;
}

/** Before the expression: a device, and the text of an error. */
const PRELUDE = `
import { mps, torch } from ${JSON.stringify(MPSLAB)};
const errorOf = (run) => { try { run(); return "no error"; } catch (error) { return error.message; } };
`;

/**
 * The value of an expression in a new process with these environment variables, which libtorch reads when it is
 * loaded. It may use `mps`, `torch`, and `errorOf(run)`, the message of what `run` throws.
 *
 * @param options `plain`: without a simulated device
 */
export function newProcess<Value>(
  expression: string,
  variables: Readonly<Record<string, string>> = {},
  { plain = false }: { readonly plain?: boolean } = {},
): Value {
  const program = `${PRELUDE}console.log(JSON.stringify(${expression}));`;
  const answer = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...(plain ? { MPSLAB_METAL: "" } : {}), ...variables },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(answer) as Value;
}
