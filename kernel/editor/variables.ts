// Lists the notebook's variables for a variables' view, without a started debugger. Runs no code of the user, and answers
// while a cell runs.
import type { Json } from "../protocol/messages.ts";
import type { NotebookName } from "../session/channel.ts";
import type { LiveAnswer } from "./live_values.ts";
import { BUSY, inspect, type Sources } from "./editor.ts";

/** What answers the questions of a variables' view. */
export interface VariableSources extends Sources {
  /** The values that cells have declared, with their types. */
  readonly names: () => Promise<readonly NotebookName[]>;
}

/** The MIME bundle that an editor gets about a variable. Null if nothing is known of the name. */
export async function richVariable(name: string, sources: Sources): Promise<Json | null> {
  const cursor = { code: name, cursorPos: name.length, detailLevel: 0 };
  const { found, data, metadata } = await inspect(cursor, sources);
  return found === true ? ({ data, metadata } as Json) : null;
}

/** Lists values by name. Imports are left out: they are seldom of interest. */
export async function listVariables({ names, liveValue }: VariableSources): Promise<Json[]> {
  const listed = (await names()).filter(({ kind }) => kind !== "import");
  const shown: Json[] = [];
  let isBusy = false;
  for (const { name, kind, type } of listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    // A session that did not answer for one value answers for no other: each further question would wait in vain.
    const answer: LiveAnswer = isBusy ? "busy" : await liveValue({ path: [name], about: "variable" });
    isBusy = answer === "busy";
    const value = answer === "busy" ? BUSY : (answer?.text ?? "");
    // The reference is 0, because the parts of a value are not listed.
    shown.push({ name, evaluateName: name, type: type ?? kind, value, variablesReference: 0 });
  }
  return shown;
}
