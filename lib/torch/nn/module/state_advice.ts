// Finds why the keys of a state dict are not those of a module: wrappers put `module.` and `_orig_mod.` before them, a
// larger model its own name, and a checkpoint holds the state beside others. Loads nothing.
import { native } from "../../engine/native.ts";
import { isRecord } from "../../vocabulary/arguments.ts";
import { stateWithin } from "../../vocabulary/nested_state.ts";

type State = Readonly<Record<string, unknown>>;

const holdsTensors = (state: State) => Object.values(state).some((value) => native.isTensor(value));

/** What one list of keys has before the keys of the other, where that makes most of them equal; "" for nothing. */
function prefixOf(longer: readonly string[], shorter: readonly string[]): string {
  const known = new Set(shorter);
  const counts = new Map<string, number>([["", 0]]);
  for (const key of longer) {
    for (let at = key.indexOf("."); at >= 0; at = key.indexOf(".", at + 1)) {
      const prefix = key.slice(0, at + 1);
      if (known.has(key.slice(at + 1))) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
    if (known.has(key)) counts.set("", counts.get("")! + 1);
  }
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

const mapped = (state: string, key: string) =>
  `model.loadStateDict(Object.fromEntries(Object.entries(${state}).map(([key, value]) => [${key}, value])))`;

/** A sentence with the way out; null where the keys have nothing to do with the module's. */
function adviceFor(state: State, own: readonly string[], written: string): string | null {
  const given = Object.keys(state);
  // torch.compile puts its word before a part of the model, too.
  const word = "_orig_mod.";
  if (
    given.some((key) => key.lastIndexOf(word) > 0) &&
    given.some((key) => own.includes(key.replaceAll(word, "")))
  )
    return `Keys of the state have "${word}", which torch.compile put there: ${mapped(written, `key.replaceAll("${word}", "")`)}.`;
  const surplus = prefixOf(given, own);
  if (surplus !== "") {
    const isPart = given.some((key) => !key.startsWith(surplus));
    const rest = isPart ? " Keys without it belong to something else: leave them out." : "";
    const pattern = surplus.replaceAll(/[.$*+?()[\]{}|^\\/]/g, "\\$&");
    return `The state's keys begin with "${surplus}", the module's do not: ${mapped(written, `key.replace(/^${pattern}/, "")`)}.${rest}`;
  }
  const lacking = prefixOf(own, given);
  if (lacking !== "")
    return `The module's keys begin with "${lacking}", the state's do not: ${mapped(written, `"${lacking}" + key`)}, or load it into what is there inside of the module.`;
  return given.some((key) => own.includes(key)) ? "" : null;
}

/**
 * Says how a state whose keys are not the module's is loaded.
 *
 * @returns a sentence, "" where nothing more is to be said than that keys differ
 */
export function stateAdvice(state: State, own: readonly string[]): string {
  const within = stateWithin(state, holdsTensors);
  if (within !== null && !own.some((key) => Object.hasOwn(state, key))) {
    const further = adviceFor(within.value, own, within.written);
    return `It is a whole checkpoint: ${further ? `take ${within.written}. ${further}` : `model.loadStateDict(${within.written}).`}`;
  }
  if (own.length > 0 && isRecord(state))
    return adviceFor(state, own, "state") ?? "They have no key in common.";
  return "";
}
