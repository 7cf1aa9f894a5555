// All candidates for an error, likeliest first.
import type { ParsedText } from "../../../lib/typescript/parse.ts";
import type { Candidate } from "./advice.ts";
import { ALIAS } from "./aliases.ts";
import { DTYPE } from "./call_arguments.ts";
import { COLUMN_RULES } from "./columns.ts";
import { DATE_RULES } from "./dates.ts";
import { DECLARATION_RULES } from "./declared.ts";
import { GROUP_RULES } from "./groups.ts";
import { LOGBOOK_RULES } from "./logbook.ts";
import { MEMBER_RULES } from "./members.ts";
import { GUESS, NAME_RULES } from "./names.ts";
import { OPTION_RULES } from "./options.ts";
import { nodesAround, type Place, type Rule } from "./place.ts";
import { BY_COLUMN, TABLE_RULES } from "./tables.ts";
import { REFUSAL_RULES, TENSOR_RULES } from "./tensors.ts";
import type { Problem } from "./trials.ts";
import { VALUE_RULES } from "./values.ts";

const RULES: readonly Rule[] = [
  DTYPE,
  ALIAS,
  GUESS,
  BY_COLUMN,
  ...TENSOR_RULES,
  ...TABLE_RULES,
  ...GROUP_RULES,
  ...COLUMN_RULES,
  ...DATE_RULES,
  ...OPTION_RULES,
  ...LOGBOOK_RULES,
  ...MEMBER_RULES,
  ...NAME_RULES,
  ...DECLARATION_RULES,
  ...VALUE_RULES,
];

export function placeOf({ text, program }: ParsedText, { code, message, start, end }: Problem): Place {
  return { code, message, start, end, text, program, around: nodesAround(program, start, end) };
}

/** @param known what the error's message says already */
export function offersFor(place: Place, known: Problem["known"]): Candidate[] {
  const rules = known === "refusal" ? REFUSAL_RULES : RULES;
  const offers = rules.filter(({ codes }) => codes.has(place.code)).flatMap((rule) => [...rule.offer(place)]);
  const seen = new Set<string>();
  return offers.filter(({ start, end, text, tried }) => {
    const key = `${start} ${end} ${text} ${tried}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
