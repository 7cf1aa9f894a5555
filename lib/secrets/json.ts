// Leaves secrets out of plain data: texts under a secret's name, and secrets in other texts, names of properties too.
import { LEFT_OUT } from "./found.ts";
import { demandOf, isSecretGroup, isSecretName } from "./names.ts";
import { redact } from "./redact.ts";
import type { LeftOutParts } from "./left_out.ts";

/**
 * JSON of a value with every string cleaned. What JSON does not know is written as text.
 *
 * @param leftOut is told what was left out, and where
 */
export function jsonWithoutSecrets(value: unknown, leftOut?: LeftOutParts): string {
  return JSON.stringify(cleaned(value, "", "", leftOut));
}

/** The value itself, cleaned. */
export function dataWithoutSecrets<Data>(value: Data, leftOut?: LeftOutParts): Data {
  return cleaned(value, "", "", leftOut) as Data;
}

function cleaned(given: unknown, key: string, path: string, leftOut: LeftOutParts | undefined): unknown {
  const value = toJson(given, key);
  const place = path === "" ? key : key === "" ? path : `${path}.${key}`;
  const isSecret = isSecretName(key);
  if (typeof value === "string") {
    if (isSecret && value !== LEFT_OUT && value !== "") {
      leftOut?.add(place, "under its name");
      return LEFT_OUT;
    }
    const { text, found } = redact(value, "text");
    for (const { kind } of found) leftOut?.add(place, kind);
    return text;
  }
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return String(value);
    if (!isSecret || demandOf(key) !== "any" || !/pass|pwd/i.test(key)) return value;
    leftOut?.add(place, "under its name");
    return LEFT_OUT;
  }
  if (typeof value !== "object" || value === null || isNumber(value)) return value;
  const inGroup = isSecret || isSecretGroup(key);
  if (Array.isArray(value))
    return value.map((one, at) =>
      inGroup ? emptied(one, key, `${place}[${at}]`, leftOut) : cleaned(one, "", `${place}[${at}]`, leftOut),
    );
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      redact(name, "text").text,
      inGroup ? emptied(one, name, `${place}.${name}`, leftOut) : cleaned(one, name, place, leftOut),
    ]),
  );
}

/** `{ credentials: { user: "ann", key: "..." } }`: every text below a secret's name. */
function emptied(given: unknown, key: string, place: string, leftOut: LeftOutParts | undefined): unknown {
  const value = toJson(given, key);
  if (typeof value === "string") {
    leftOut?.add(place, "under its name");
    return LEFT_OUT;
  }
  if (typeof value !== "object" || value === null || isNumber(value))
    return cleaned(value, "", place, leftOut);
  if (Array.isArray(value)) return value.map((one, at) => emptied(one, "", `${place}[${at}]`, leftOut));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, emptied(one, name, `${place}.${name}`, leftOut)]),
  );
}

/** A number of a notebook's file, as it was written there. */
const isNumber = (value: object) => (value as { isLosslessNumber?: boolean }).isLosslessNumber === true;

function toJson(value: unknown, key: string): unknown {
  const own = (value as { toJSON?: unknown } | null | undefined)?.toJSON;
  return typeof own === "function" ? (own as (key: string) => unknown).call(value, key) : value;
}
