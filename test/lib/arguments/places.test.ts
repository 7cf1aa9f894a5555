// Walks over PyTorch's own parameters, which signatures.py reads from its sources, and calls ours with each default at its
// place and under its name: the layer must be the one that the needed arguments alone make, a wrong value must be refused
// under the parameter's name, and the kernel's check must accept each call.
import { describe, expect, it } from "vitest";
import { nn, torch } from "../../../lib/index.ts";
import { NotebookSession } from "../../kernel/language/notebook_session.ts";
import { HAS_NO_PARAMETERS, LAYERS, LEFT_OUT, NULL_ONLY, REFUSED, SHOWN, VALUES } from "./needed.ts";
import { type Parameter, parametersOf, signatures } from "./signatures.ts";

interface Callable {
  readonly name: string;
  readonly needed: string;
  /** Parameters that have a default, in PyTorch's order. */
  readonly optional: readonly Parameter[];
}

const layers: Callable[] = Object.keys(signatures)
  .filter((call) => /^nn\.[A-Z]\w*$/.test(call) && call.slice(3) in nn && !(call.slice(3) in LEFT_OUT))
  .map((call) => ({
    name: call.slice(3),
    needed: LAYERS[call.slice(3)] ?? "",
    optional: parametersOf(call).filter((one) => one.value !== null),
  }));

const isRefused = ({ name }: Callable, { theirs }: Parameter) =>
  theirs in REFUSED || `nn.${name} ${theirs}` in REFUSED;

/** The parameters that can be given by place: those before the first that is refused or is taken by name only. */
const placesOf = (callable: Callable) => {
  const at = callable.optional.findIndex((one) => one.isNamedOnly || isRefused(callable, one));
  return at < 0 ? callable.optional : callable.optional.slice(0, at);
};

const joined = (...texts: string[]) => texts.filter((text) => text !== "").join(", ");

/** The call by place, one for each number of places; then one under each name. */
function callsOf(callable: Callable): string[] {
  const { name, needed } = callable;
  const places = placesOf(callable);
  const byPlace = places.map((_, at) => places.slice(0, at + 1).map(({ value }) => value!));
  const byName = callable.optional
    .filter((one) => !isRefused(callable, one) && !(one.theirs in NULL_ONLY))
    .map((one) => `{ ${one.name}: ${one.value} }`);
  return [
    ...byPlace.map((values) => joined(needed, ...values)),
    ...byName.map((one) => joined(needed, one)),
  ].map((given) => `new nn.${name}(${given})`);
}

/** A layer's needed arguments, each with its name and its value in TypeScript's text. */
const neededOf = ({ name, needed }: Callable) => {
  const values = needed === "" ? [] : needed.split(/, (?![^[(]*[\])])/);
  const names = parametersOf(`nn.${name}`).filter((one) => one.value === null);
  return values.map((value, at) => ({ name: names[at]!.name, value }));
};

/** Calls with the last needed arguments by name, one for each place from which they are; an option among them too. */
function namedCallsOf(callable: Callable): string[] {
  const all = neededOf(callable);
  const option = callable.optional.find((one) => !isRefused(callable, one) && !(one.theirs in NULL_ONLY));
  const isOwn = Object.keys(VALUES).some((one) => one.startsWith(`nn.${callable.name} `));
  return all.map((_, at) => {
    const placed = all.slice(0, at).map(({ value }) => value);
    const named = all.slice(at).map(({ name, value }) => `${name}: ${value}`);
    const more = option !== undefined && (isOwn || at % 2 === 0) ? [`${option.name}: ${option.value}`] : [];
    return `new nn.${callable.name}(${joined(...placed, `{ ${joined(...named, ...more)} }`)})`;
  });
}

const evaluate = (text: string): unknown =>
  new Function("nn", "torch", `return ${text}`)(nn, torch) as unknown;
const drawn = (text: string): { shown: string; state: unknown } => {
  torch.manualSeed(0);
  const layer = evaluate(text) as nn.Module;
  const isLazy = text.includes(".Lazy");
  return {
    shown: `${layer}`,
    state: isLazy ? null : Object.entries(layer.stateDict()).map(([key, value]) => [key, value.tolist()]),
  };
};

it("the walk knows what every layer of PyTorch needs", () => {
  const missing = layers.filter(
    ({ name, needed }) => needed === "" && parametersOf(`nn.${name}`).some(({ value }) => value === null),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect(Object.keys(LAYERS).filter((name) => !layers.some((one) => one.name === name))).toEqual([]);
  expect(layers.length).toBeGreaterThan(100);
});

describe("each layer takes its defaults where PyTorch takes them", () => {
  const walked = layers.filter((one) => one.optional.length > 0);
  it.each(walked.map((one) => [one.name, one] as const))("%s", (name, callable) => {
    const first = Object.keys(VALUES).some((one) => one.startsWith(`nn.${name} `))
      ? joined(callable.needed, ...placesOf(callable).map(({ value }) => value!))
      : callable.needed;
    const expected = drawn(`new nn.${name}(${first})`);
    const isOwn = Object.keys(VALUES).some((one) => one.startsWith(`nn.${name} `));
    for (const text of callsOf(callable)) {
      if (isOwn) expect(() => evaluate(text)).not.toThrow(/argument|option|unknown/);
      else expect({ text, ...drawn(text) }).toEqual({ text, ...expected });
    }
  });

  it.each(walked.map((one) => [one.name, one] as const))(
    "%s refuses what is wrong there",
    (name, callable) => {
      const places = placesOf(callable);
      for (const [at, place] of places.entries()) {
        if (HAS_NO_PARAMETERS.has(name) && /^(device|dtype)$/.test(place.name)) continue;
        const before = places.slice(0, at).map(({ value }) => value!);
        const text = `new nn.${name}(${joined(callable.needed, ...before, 'Symbol("wrong")')})`;
        expect(() => evaluate(text), text).toThrow(SHOWN[`nn.${name} ${place.theirs}`] ?? place.name);
        const reason = NULL_ONLY[place.theirs];
        if (reason !== undefined) expect(() => evaluate(text), text).toThrow(reason);
      }
    },
  );
});

describe("each layer takes its needed arguments by name", () => {
  const walked = layers.filter(({ needed }) => needed !== "");
  it.each(walked.map((one) => [one.name, one] as const))("%s", (name, callable) => {
    const calls = namedCallsOf(callable);
    const isOwn = Object.keys(VALUES).some((one) => one.startsWith(`nn.${name} `));
    for (const text of calls) {
      if (isOwn) expect(() => evaluate(text)).not.toThrow();
      else expect({ text, ...drawn(text) }).toEqual({ text, ...drawn(`new nn.${name}(${callable.needed})`) });
    }
  });

  it.each(walked.map((one) => [one.name, one] as const))("%s says which is missing", (name, callable) => {
    const all = neededOf(callable);
    for (const [at, { name: missing }] of all.entries()) {
      const others = all.filter((one) => one.name !== missing).map((one) => `${one.name}: ${one.value}`);
      if (others.length === 0) continue;
      const text = `new nn.${name}({ ${others.join(", ")} })`;
      expect(() => evaluate(text), `${text} ${at}`).toThrow(missing);
    }
  });

  it("and refuses a name that it does not know", () => {
    for (const callable of walked) {
      const text = namedCallsOf(callable)[0]!.replace(/ \}\)$/, ", unknown: 1 })");
      expect(() => evaluate(text), text).toThrow("unknown");
    }
  });
});

it("the kernel's check accepts every such call, and refuses a wrong value at each place", async () => {
  const notebook = new NotebookSession();
  try {
    await notebook.run('import { nn } from "mpslab";');
    const right = layers.flatMap((callable) => [...callsOf(callable), ...namedCallsOf(callable)]);
    expect(await notebook.problems(right.map((text) => `${text};`).join("\n"))).toEqual([]);
    const wrong = layers.flatMap((callable) => {
      const places = placesOf(callable);
      return places.map((_, at) => {
        const before = places.slice(0, at).map(({ value }) => value!);
        return `new nn.${callable.name}(${joined(callable.needed, ...before, "() => 1n")});`;
      });
    });
    const found = await notebook.problems(wrong.join("\n"));
    const lines = new Set(found.map((problem) => Number(/^\d+/.exec(problem)?.[0])));
    expect(wrong.filter((_, at) => !lines.has(at + 1))).toEqual([]);
  } finally {
    notebook.close();
  }
});
