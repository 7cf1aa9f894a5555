// Finds the place at which a Vega-Lite or Vega specification breaks its language's schema. Loaded only after a
// specification could not be drawn: the schema has 2 MB, and the libraries' own errors say
// `Cannot read properties of undefined`.
import { createRequire } from "node:module";
import { Ajv, type ErrorObject } from "ajv";
import { isVegaSchema } from "./chart_style.ts";

/** An error lists at most this many choices; a longer list is no help. */
const MAX_CHOICES = 25;

const require = createRequire(import.meta.url);

/** Returns `mark must be one of "arc", ..., got "bars"`, or null if the specification fits the schema. */
export function faultIn(specification: unknown): string | null {
  const isVega = isVegaSchema((specification as { $schema?: unknown } | null)?.$schema);
  const schema = require(
    isVega ? "vega/build/vega-schema.json" : "vega-lite/build/vega-lite-schema.json",
  ) as object;
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    allErrors: true,
    verbose: true,
    logger: false,
  });
  if (ajv.validate(schema, specification)) return null;
  return wordsOf(ajv.errors ?? []);
}

/** Schema keywords whose errors say that no alternative fits, but not why. */
const ALTERNATIVES = new Set(["anyOf", "oneOf", "allOf", "if", "not"]);

/**
 * A schema of alternatives reports an error for each of them. The error at the deepest place belongs to the alternative
 * that fits best.
 */
function wordsOf(errors: readonly ErrorObject[]): string | null {
  const plain = errors.filter(({ keyword }) => !ALTERNATIVES.has(keyword));
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  const deepest = Math.max(...plain.map(depth));
  const first = plain.find((error) => depth(error) === deepest);
  if (first === undefined) return null;
  const { instancePath, data } = first;
  const here = plain.filter((error) => error.instancePath === instancePath);
  /** The names in the errors of these keywords, each once. */
  const named = (keys: Readonly<Record<string, string>>): unknown[] =>
    [
      ...new Set(
        here.flatMap(({ keyword, params }) => (keyword in keys ? (params[keys[keyword]!] as unknown) : [])),
      ),
    ].flat();
  const place = instancePath === "" ? "the specification" : placeOf(instancePath);
  const isObject = typeof data === "object" && data !== null;
  const got = isObject ? "" : `, got ${JSON.stringify(data)}`;
  const choices = [...new Set(named({ enum: "allowedValues", const: "allowedValue" }))];
  if (choices.length > 0 && choices.length <= MAX_CHOICES && !isObject)
    return `${place} must be one of ${quoted(choices)}${got}`;
  const types = named({ type: "type" });
  if (types.length > 0) return `${place} must be ${[...new Set(types)].join(" or ")}${got}`;
  const missing = named({ required: "missingProperty" });
  if (missing.length === 1) return `${place} has no field ${quoted(missing)}`;
  if (missing.length > 1) return `${place} has none of the fields ${quoted(missing)}`;
  const unknown = named({ additionalProperties: "additionalProperty" });
  if (unknown.length > 0) return `${place} has the unknown field ${quoted(unknown.slice(0, 1))}`;
  return `${place} ${first.message ?? "is wrong"}${got}`;
}

function quoted(names: readonly unknown[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}

/** `/layer/0/mark` -> `layer[0].mark` */
function placeOf(path: string): string {
  return path
    .slice(1)
    .split("/")
    .map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`))
    .join("");
}
