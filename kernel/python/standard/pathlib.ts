// Converts Python's pathlib: a path is a text here, of which node:path and node:fs know the rest. It does not know globs.
import type { Arguments } from "../expressions/arguments.ts";
import { type Code, code } from "../code.ts";
import { type Context, mark, need, nodePath } from "../context.ts";
import type { Node } from "../source/syntax.ts";

/** `Path("data", "names")`, `folder / "model.pt"` */
export function joinedPath(parts: readonly string[], context: Context): Code {
  if (parts.length < 2) return code(parts[0] ?? '"."', "text");
  return code(`${nodePath(context)}.join(${parts.join(", ")})`, "text");
}

/** Attributes of a path, and the function of node:path that gives each. */
const ATTRIBUTES: Readonly<Record<string, (path: string, of: string) => string>> = {
  name: (path, of) => `${path}.basename(${of})`,
  stem: (path, of) => `${path}.parse(${of}).name`,
  suffix: (path, of) => `${path}.extname(${of})`,
  parent: (path, of) => `${path}.dirname(${of})`,
};

/** `path.stem`, or null: no text of Python has such an attribute. */
export function pathAttribute(of: Code, name: string, context: Context): Code | null {
  if (!Object.hasOwn(ATTRIBUTES, name)) return null;
  return code(ATTRIBUTES[name]!(nodePath(context), of.text), "text");
}

const file =
  (name: string, kind: string, ...more: string[]) =>
  (of: Code, given: Arguments, context: Context): Code => {
    need(context, "node:fs", name);
    return code(
      `${name}(${[of.text, ...given.positional.map(({ value }) => value.text), ...more].join(", ")})`,
      kind,
    );
  };

const METHODS: Readonly<Record<string, (of: Code, given: Arguments, context: Context, node: Node) => Code>> =
  {
    exists: file("existsSync", "boolean"),
    read_text: file("readFileSync", "text", '"utf8"'),
    write_text: file("writeFileSync", "none"),
    unlink: file("rmSync", "none"),
    mkdir: (of, given, context, node) => {
      const isTrue = (name: string): boolean =>
        given.keywords.some((one) => one.name === name && one.value.text === "true");
      if (isTrue("parents") && !isTrue("exist_ok"))
        mark(context, node, "a folder that is there already is no error here");
      need(context, "node:fs", "mkdirSync");
      const isOpen = isTrue("parents") || isTrue("exist_ok");
      return code(`mkdirSync(${of.text}${isOpen ? ", { recursive: true }" : ""})`, "none");
    },
  };

/** `path.mkdir(parents=True, exist_ok=True)`, or null: no text of Python has such a method. */
export function pathMethod(
  of: Code,
  name: string,
  given: Arguments,
  context: Context,
  node: Node,
): Code | null {
  return Object.hasOwn(METHODS, name) ? METHODS[name]!(of, given, context, node) : null;
}
