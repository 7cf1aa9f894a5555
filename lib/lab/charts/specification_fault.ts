// Finds the place at which a Vega-Lite or Vega specification breaks its language's schema. Loaded where a specification
// could not be drawn: the schema has 2 MB, and the libraries' own errors say `Cannot read properties of undefined`.
import { createRequire } from "node:module";
import { Ajv, type ErrorObject } from "ajv";
import { isVegaSchema } from "./chart_style.ts";

/** More choices than this are no help. */
const MAX_CHOICES = 25;

const require = createRequire(import.meta.url);

/** `mark must be one of "arc", ..., got "bars"`; null where the schema finds nothing. */
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

/** A schema of alternatives reports each of them. The deepest place is that of the alternative that fits best. */
function wordsOf(errors: readonly ErrorObject[]): string | null {
  const plain = errors.filter(({ keyword }) => !["anyOf", "oneOf", "allOf", "if", "not"].includes(keyword));
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  const deepest = Math.max(...plain.map(depth));
  const path = plain.find((error) => depth(error) === deepest)?.instancePath;
  if (path === undefined) return null;
  const here = plain.filter((error) => error.instancePath === path);
  const place = path === "" ? "the specification" : placeOf(path);
  const choices = here.flatMap(({ keyword, params }) =>
    keyword === "enum"
      ? (params["allowedValues"] as unknown[])
      : keyword === "const"
        ? [params["allowedValue"]]
        : [],
  );
  const value = here[0]!.data as unknown;
  const got = typeof value === "object" && value !== null ? "" : `, got ${JSON.stringify(value)}`;
  if (choices.length > 0 && choices.length <= MAX_CHOICES && got !== "")
    return `${place} must be one of ${[...new Set(choices)].map((choice) => JSON.stringify(choice)).join(", ")}${got}`;
  const unknown = here.find(({ keyword }) => keyword === "additionalProperties")?.params[
    "additionalProperty"
  ] as string | undefined;
  const missing = [
    ...new Set(
      here
        .filter(({ keyword }) => keyword === "required")
        .map(({ params }) => String(params["missingProperty"])),
    ),
  ];
  const types = [
    ...new Set(
      here
        .filter(({ keyword }) => keyword === "type")
        .flatMap(({ params }) => String(params["type"]).split(",")),
    ),
  ];
  if (types.length > 0) return `${place} must be ${types.join(" or ")}${got}`;
  if (missing.length > 0)
    return `${place} has no ${missing.map((name) => JSON.stringify(name)).join(" and no ")}`;
  if (unknown !== undefined) return `${place} has the unknown field ${JSON.stringify(unknown)}`;
  return `${place} ${here[0]!.message ?? "is wrong"}${got}`;
}

/** `/layer/0/mark` -> `layer[0].mark` */
function placeOf(path: string): string {
  return path
    .slice(1)
    .split("/")
    .map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`))
    .join("");
}
