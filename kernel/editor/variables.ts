// Answers those questions of the Debug Adapter Protocol that need no debugger: the notebook's variables, and that no
// debugger is started. Runs no code of the user, and answers while a cell runs.
import type { Json } from "../protocol/messages.ts";
import type { NotebookName } from "../session/channel.ts";
import type { LiveAnswer } from "./live_values.ts";
import { BUSY, inspect, type Sources } from "./editor.ts";

/** Whom a variables' view asks. */
export interface VariableSources extends Sources {
  /** The values that cells have declared, with their types. */
  readonly names: () => Promise<readonly NotebookName[]>;
}

/** As Jupyter's protocol lists them, for a kernel that has nothing to step through. */
const DEBUG_INFO = {
  isStarted: false,
  hashMethod: "Murmur2",
  hashSeed: 0,
  tmpFilePrefix: "",
  tmpFileSuffix: ".ts",
  breakpoints: [],
  stoppedThreads: [],
  richRendering: true,
  exceptionPaths: [],
  copyToGlobals: false,
};

/** Returns the content of a `debug_reply`: a response of the Debug Adapter Protocol. Refuses every other command. */
export async function answerDebugger(request: Json, sources: VariableSources): Promise<Json> {
  const { seq, command } = request;
  const response = { type: "response", seq: 0, request_seq: seq ?? 0, command: command ?? "" };
  const refuse = (message: string): Json => ({ ...response, success: false, message });
  const accept = (body: Json): Json => ({ ...response, success: true, body });
  switch (command) {
    case "debugInfo":
      return accept(DEBUG_INFO);
    case "inspectVariables":
      return accept({ variables: await variables(sources) });
    case "richInspectVariables": {
      const name = (request["arguments"] as Json | null | undefined)?.["variableName"];
      if (typeof name !== "string") return refuse("richInspectVariables needs the argument variableName.");
      const cursor = { code: name, cursorPos: name.length, detailLevel: 0 };
      const { found, data, metadata } = await inspect(cursor, sources);
      if (found !== true) return refuse(`Nothing is known of ${name}: no cell that ran has declared it.`);
      return accept({ data, metadata } as Json);
    }
    default:
      return refuse(
        "This kernel has no debugger. It answers debugInfo, inspectVariables and richInspectVariables.",
      );
  }
}

/** Lists values in the order of their names. Imports are left out: they are the code's, and seldom of interest. */
async function variables({ names, liveValue }: VariableSources): Promise<Json[]> {
  const listed = (await names()).filter(({ kind }) => kind !== "import");
  const shown: Json[] = [];
  let isBusy = false;
  for (const { name, kind, type } of listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    // The session that did not answer for one value answers for none: each question would wait in vain.
    const answer: LiveAnswer = isBusy ? "busy" : await liveValue({ path: [name], about: "variable" });
    isBusy = answer === "busy";
    const value = answer === "busy" ? BUSY : (answer?.text ?? "");
    // No reference: the parts of a value are not listed.
    shown.push({ name, evaluateName: name, type: type ?? kind, value, variablesReference: 0 });
  }
  return shown;
}
