// Names the keys of an optimizer's parameter groups and of its state, which are PyTorch's in camelCase here:
// `group["weight_decay"]` is `group["weightDecay"]`. A state dict has PyTorch's own names, and does not come here.
import { type Code, code } from "../code.ts";
import { type Context, mark } from "../context.ts";
import type { Kind } from "../kinds.ts";
import { camelCase, entryOf, namesIn } from "./names.ts";
import type { Node } from "../source/syntax.ts";

/** What schedules keep beside a group here, and in it in PyTorch. */
const OF_SCHEDULES = new Set(["initialLr", "maxLr", "minLr", "baseMomentum", "maxMomentum", "swaLr"]);

let options: ReadonlySet<string> | undefined;

/** Every option that an optimizer takes. */
function optionNames(): ReadonlySet<string> {
  options ??= new Set(
    namesIn("optim").flatMap((name) => entryOf("optim", name)!.calls.flatMap((form) => form.options)),
  );
  return options;
}

/** Whether a key is one of a group's that has another name here: `weight_decay` */
const isRenamedKey = (key: string): boolean => camelCase(key) !== key && optionNames().has(camelCase(key));

/** Whether every group has the key, which is written as it stands here. */
export const isKeyOfGroup = (key: Code): boolean =>
  literal(key) === "params" || optionNames().has(literal(key));

/** Whether a dictionary with these keys is a group that an optimizer takes, of which an option has another name here. */
export const isGroup = (keys: readonly string[]): boolean =>
  keys.includes("params") && keys.some(isRenamedKey);

const literal = ({ text }: Code): string => /^"(\w+)"$/.exec(text)?.[1] ?? "";

/** The name here of a key that is written in a group. */
export const keyOfGroup = (key: string): string => (isRenamedKey(key) ? camelCase(key) : key);

/** A literal key of a group or of a parameter's state, under its name here; others as they are. */
export function renamedKey(of: Kind, key: Code): Code {
  const name = literal(key);
  const isRenamed = of === "state" ? name !== "" : of === "group" && isRenamedKey(name);
  return isRenamed ? code(JSON.stringify(camelCase(name)), "text") : key;
}

/** The same, with a mark where a group has no such key here. */
export function groupKey(of: Kind, key: Code, context: Context, node: Node): Code {
  if (of === "group" && OF_SCHEDULES.has(camelCase(literal(key))))
    mark(
      context,
      node,
      `a group has no ${literal(key)} here: a schedule keeps it beside the group, and getLastLr() has the rates`,
    );
  return renamedKey(of, key);
}
