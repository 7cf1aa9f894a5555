// Writes what stands above a converted cell: its imports, and the functions that it needs of its own.
import type { Context } from "./context.ts";
import { helperLines } from "./semantics.ts";

/** @param body the converted text, which may use less than was asked for on the way */
export function headerLines({ needed, kept, helpers, later }: Context, body: string): string[] {
  const used = new Set([...helpers].filter((name) => mentions(body, name)));
  const functions = helperLines(used, needed.get("mpslab")?.get("torch") ?? "torch");
  const whole = [body, ...functions].join("\n");
  const modules = [...needed]
    .map(
      ([module, names]) =>
        [
          module,
          new Map([...names].filter(([, local]) => kept.has(local) || mentions(whole, local))),
        ] as const,
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const imports = modules.flatMap(([module, names]) => importText(module, names));
  const declared = [...later].map((name) => `declare function ${name}(...given: any[]): any;`);
  return [...imports, ...declared, ...functions];
}

const sortKey = (name: string): string => name.replace(/^type /, "").toLowerCase();

/** Whether a text has a name that is not a member's. */
function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w.$]|\\.\\.\\.)${name}(?![\\w$]|:(?! ))|(?<=\\.\\.\\.)${name}\\b`).test(text);
}

function importText(module: string, names: ReadonlyMap<string, string>): string[] {
  const named = [...names]
    .filter(([name]) => name !== "default")
    .toSorted(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const texts = named.map(([name, local]) =>
    name === local || name.startsWith("type ") ? name : `${name} as ${local}`,
  );
  const whole = names.get("default");
  const lines = whole === undefined ? [] : [`import ${whole} from "${module}";`];
  return texts.length > 0 ? [...lines, `import { ${texts.join(", ")} } from "${module}";`] : lines;
}
