// The misuse matrix: every public function, constructor and method, found in the live exports, with each argument and
// each option replaced by each wrong thing. A new public name without a right call in `right_calls/` fails here.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cuda, mps, torch } from "../../../lib/index.ts";
import { ScriptedPage } from "../comms/scripted_page.ts";
import { publicFunctions } from "../../helpers/public_functions.ts";
import { publicCalls } from "./exports.ts";
import { operatorCalls } from "./operator_calls.ts";
import { complaint } from "./refusal.ts";
import {
  MAY_HOLD_SECRETS,
  NOT_CALLED,
  REFUSALS,
  RIGHT_CALLS,
  TAKES_NOTHING_TOO,
} from "./right_calls/index.ts";
import { removeFolder } from "./right_calls/right_calls.ts";
import { withUnknownOption, wrongCalls, wrongKinds } from "./wrong_calls.ts";

/**
 * The needed arguments in the declarations, by the names of `publicCalls`. A class comes before its base class, of the
 * same name.
 */
const NEEDED = new Map(
  [...publicFunctions(path.resolve(import.meta.dirname, "../../../lib/index.ts")).values()]
    .flat()
    .toReversed()
    .map(({ name, kind, required }) => [
      kind === "method" ? name.replace(/\.(?=\w+$)/, "#") : name,
      required,
    ]),
);

const OPERATOR_CALLS = operatorCalls();
const all = publicCalls().filter((one) => !NOT_CALLED.has(one.path));
const written = all.filter((one) => one.path in RIGHT_CALLS);
const generated = all.filter((one) => !(one.path in RIGHT_CALLS) && one.path in OPERATOR_CALLS);

/** `torch.linalg.inv` -> `torch.linalg`, `Tensor#add` -> `Tensor` */
const spaceOf = (name: string): string => name.replace(/[.#]\w+$/, "");

/** Relative names of files go here. */
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-misuse-"));
const before = process.cwd();
beforeAll(() => {
  process.chdir(folder);
  // `lab.search` is refused on a machine that has Optuna, too.
  vi.stubEnv("MPSLAB_OPTUNA_PYTHON", "/bin/false");
  new ScriptedPage();
  if (!mps.isAvailable()) mps.simulate();
});
/** A word that is taken for the name of a file or a folder is one. */
afterEach(() => rmSync("a wrong word", { recursive: true, force: true }));
afterAll(() => {
  vi.unstubAllEnvs();
  process.chdir(before);
  rmSync(folder, { recursive: true });
  removeFolder();
});

/** A method is called on an object of its class; those of tensors are asked of what is none, or is disposed. */
const firstOf = (name: string): number =>
  (name.includes("#") && !name.startsWith("Tensor#")) || MAY_BE_DISPOSED.has(name) ? 1 : 0;
const MAY_BE_DISPOSED = new Set(["Tensor#dispose", "Tensor#toString"]);

/** Iterates over a result, because a generator makes its mistakes only then. */
function exhaust(result: unknown): void {
  if (typeof result !== "object" || result === null || !(Symbol.iterator in result)) return;
  if (torch.isTensor(result)) return;
  let seen = 0;
  for (const _ of result as Iterable<unknown>) if (++seen > 2) return;
}

async function judged(call: () => unknown, shown: RegExp | null): Promise<string | null> {
  try {
    exhaust(await call());
  } catch (error) {
    return complaint(error, shown);
  }
  return shown === null ? null : "was accepted";
}

const isOfAbsentDevice = (name: string) =>
  name.startsWith("cuda.") && !/\.(is|deviceCount)/.test(name) && !cuda.isAvailable();

it("every public name has a right call, and every right call a public name", () => {
  const known = new Set([...written, ...generated].map((one) => one.path));
  expect(all.map((one) => one.path).filter((name) => !known.has(name))).toEqual([]);
  expect(Object.keys(RIGHT_CALLS).filter((name) => !known.has(name))).toEqual([]);
});

describe("a right call works, and each call like it that is wrong is refused in words for the user", () => {
  it.each(written.map((one) => [one.path, one.call] as const))("%s", async (name, call) => {
    const right = RIGHT_CALLS[name]!;
    if (REFUSALS.has(name) || isOfAbsentDevice(name))
      expect(await judged(() => call(right()), /./)).toBeNull();
    else await call(right());
    const complaints: string[] = [];
    const isRefused = isOfAbsentDevice(name) || REFUSALS.has(name);
    // Overloads of libtorch's may differ in what stands at a place; then the message lists them all.
    const showsNothing = name.startsWith("torch.sparse.") || MAY_HOLD_SECRETS.has(name);
    const ask = async (what: string, args: readonly unknown[], shown: RegExp | null) => {
      const found = await judged(() => call(args), isRefused ? null : showsNothing ? shown && /./ : shown);
      if (found !== null) complaints.push(`${what}: ${found}`);
    };
    for (const { what, args, shown } of wrongCalls(right, firstOf(name))) await ask(what, args, shown);
    const unknown = withUnknownOption(right());
    if (unknown !== null) await ask("an unknown option", unknown, /noSuchOption/);
    expect(complaints).toEqual([]);
  });
});

describe("a call without arguments of a function that needs some is refused", () => {
  const needy = written.filter((one) => !TAKES_NOTHING_TOO.has(one.path) && (NEEDED.get(one.path) ?? 0) > 0);
  it.each(needy.map((one) => [one.path, one.call] as const))("%s", async (name, call) => {
    const self = RIGHT_CALLS[name]!().slice(0, name.includes("#") ? 1 : 0);
    expect(await judged(() => call(self), /./)).toBeNull();
  });
});

// Elsewhere TypeScript refuses them, and JavaScript ignores them: an operator's arguments choose its overload.
describe("a call with more arguments than an operator of libtorch has is refused", () => {
  const surplus = (args: readonly unknown[]) => [...args, ...Array<undefined>(16), "one too many"];
  it.each(generated.map((one) => [one.path, one.call] as const))("%s", async (name, call) => {
    expect(await judged(() => call(surplus(OPERATOR_CALLS[name]!())), /./)).toBeNull();
  });
});

const spaces = [...new Set(generated.map((one) => spaceOf(one.path)))];

describe("libtorch's operators refuse what their schemas do not have", () => {
  it.each(spaces)("of %s", async (space) => {
    const complaints: string[] = [];
    for (const { path: name, call } of generated.filter((one) => spaceOf(one.path) === space))
      for (const { what, args, shown } of wrongKinds(OPERATOR_CALLS[name]!)) {
        const found = await judged(() => call(args), shown);
        if (found !== null) complaints.push(`${name}, ${what}: ${found}`);
      }
    expect(complaints).toEqual([]);
    expect(torch.ones([2]).add(1).tolist()).toEqual([2, 2]);
  });
});
