// Implements `lab.decide`: chooses the CPU, this device, MLX or a remote node, from measured numbers and the runbook's
// rules.
import { checkOptions, describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import type { Comparison } from "../../measures/benchmark/compare.ts";
import type { Evidence } from "../evidence.ts";
import type { SweepResult } from "../../../records/batch_sweeps/result.ts";
import { sessionEvidence } from "../session_evidence.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { columns, type Table } from "../../../views/table.ts";
import { type Fact, type Facts, factsOf } from "./facts.ts";
import {
  type Bound,
  type Condition,
  type FactName,
  type Lane,
  type LaneDescription,
  LANES,
  type Matrix,
  MATRIX,
  type Rule,
  RULES,
  type Thresholds,
  THRESHOLDS,
} from "./runbook.ts";

export interface DecideOptions {
  /** Thresholds given here replace the runbook's. Default: the runbook's. */
  readonly thresholds?: Partial<Thresholds>;
  /** Replaces the runbook's rules. Default: the runbook's. */
  readonly rules?: readonly Rule[];
  /** The purpose of each lane. Default: `lab.MATRIX`. */
  readonly matrix?: Matrix;
}

export interface Citation {
  readonly fact: FactName;
  readonly value: number | string | boolean;
  /** The record that the value comes from. */
  readonly from: string;
}

export interface Decision {
  /** Null if it cannot be decided: `missing` says what is needed. */
  readonly lane: Lane | null;
  readonly rule: string | null;
  readonly action: string;
  /** The numbers on which the answer rests. */
  readonly cites: readonly Citation[];
  readonly missing: readonly string[];
  /** The rules before the one that decided, each with the fact that contradicted it. */
  readonly passedOver: readonly { readonly rule: string; readonly because: string }[];
  readonly lanes: LaneDescription | null;
}

/**
 * Decides by the first rule that holds. If an earlier rule cannot be judged, the verdict is open, because that rule
 * might hold.
 *
 *     lab.decide({ comparison: await lab.compare(step), workload: "training", bitwiseParity: false });
 *
 * @param result evidence by name, or a comparison or a sweep only; the rest comes from the ledger and the logbook
 * @throws TypeError, RangeError for evidence, thresholds and rules that do not fit
 */
export function decide(
  result: Evidence | Comparison | SweepResult = {},
  options: DecideOptions = {},
): Decision {
  return decisionOf(sessionEvidence("lab.decide", result).evidence, options);
}

/** Decides from evidence that is complete. */
export function decisionOf(evidence: Evidence, options: DecideOptions = {}): Decision {
  const { thresholds, rules, matrix } = readDecideOptions(options);
  const facts = factsOf(evidence);
  const passedOver: { rule: string; because: string }[] = [];
  const cites = new Map<FactName, Citation>();
  const cite = (fact: FactName): string => {
    const found = facts[fact] as Exclude<Fact, { value: null }>;
    cites.set(fact, { fact, value: found.value, from: found.citation });
    return found.citation;
  };

  for (const rule of rules) {
    const verdicts = rule.when.map((condition) => holds(condition, facts, thresholds));
    const against = rule.when[verdicts.indexOf(false)];
    if (against !== undefined) {
      passedOver.push({ rule: rule.name, because: cite(against.fact) });
      continue;
    }
    const open = rule.when.filter((_, at) => verdicts[at] === null);
    for (const { fact } of rule.when) if (facts[fact].value !== null) cite(fact);
    const common = { cites: [...cites.values()], passedOver };
    if (open.length > 0) {
      const missing = open.map(({ fact }) => facts[fact].missing!);
      const action = `The rule "${rule.name}" comes first and cannot be judged yet: find what is missing, then decide again.`;
      return shown({ lane: null, rule: null, action, missing, lanes: null, ...common });
    }
    return shown({
      lane: rule.lane,
      rule: rule.name,
      action: rule.action,
      missing: [],
      lanes: matrix[rule.lane],
      ...common,
    });
  }
  const action = "No rule holds for these numbers: add one that says what to do.";
  return shown({
    lane: null,
    rule: null,
    action,
    cites: [...cites.values()],
    missing: [],
    passedOver,
    lanes: null,
  });
}

/** True, false, or null if the fact is unknown, or so uncertain that it may be on either side of the bound. */
function holds(condition: Condition, facts: Facts, thresholds: Thresholds): boolean | null {
  const fact = facts[condition.fact];
  const { value } = fact;
  if (value === null) return null;
  if ("is" in condition) return value === condition.is;
  const bound = (given: Bound) => (typeof given === "number" ? given : thresholds[given]);
  const isMet = (one: number) =>
    "below" in condition ? one < bound(condition.below) : one > bound(condition.above);
  const [low = Number(value), high = Number(value)] = fact.doubt ?? [];
  return isMet(low) === isMet(high) ? isMet(Number(value)) : null;
}

function readDecideOptions(options: DecideOptions): {
  thresholds: Thresholds;
  rules: readonly Rule[];
  matrix: Matrix;
} {
  const call = "lab.decide";
  const given = checkOptions<DecideOptions>(call, options, ["thresholds", "rules", "matrix"]);
  const names = Object.keys(THRESHOLDS) as (keyof Thresholds)[];
  const thresholds = {
    ...THRESHOLDS,
    ...checkOptions<Thresholds>(call, given.thresholds as Thresholds, names),
  };
  for (const name of names) {
    if (typeof thresholds[name] !== "number" || Number.isNaN(thresholds[name]))
      throw new TypeError(
        `${call}: the threshold ${name} must be a number, got ${describe(thresholds[name])}.`,
      );
  }
  const { rules = RULES, matrix = MATRIX } = given;
  if (!Array.isArray(rules) || rules.length === 0)
    throw new TypeError(`${call}: rules must be a list of rules, got ${describe(rules)}.`);
  const facts = Object.keys(factsOf({}));
  for (const rule of rules as readonly Rule[]) {
    if (!isRecord(rule) || !Array.isArray(rule.when))
      throw new TypeError(`${call}: a rule is { name, when, lane, action }, got ${describe(rule)}.`);
    const { name, when, lane } = rule;
    if (!LANES.includes(lane))
      throw new RangeError(
        `${call}: the rule "${name}" has the lane ${describe(lane)}; it is one of ${LANES.join(", ")}.`,
      );
    const unknown = when.find(({ fact }) => !facts.includes(fact));
    if (unknown !== undefined)
      throw new RangeError(
        `${call}: the rule "${name}" speaks of ${describe(unknown.fact)}; facts are ${facts.join(", ")}.`,
      );
    for (const condition of when) {
      const bound = "below" in condition ? condition.below : "above" in condition ? condition.above : 0;
      if (typeof bound !== "number" && !(bound in thresholds))
        throw new RangeError(
          `${call}: the rule "${name}" has the bound ${describe(bound)}; thresholds are ${names.join(", ")}.`,
        );
    }
  }
  const lacking = LANES.find((lane) => !isRecord((matrix as Partial<Matrix> | null)?.[lane]));
  if (lacking !== undefined)
    throw new TypeError(`${call}: matrix must describe ${LANES.join(", ")}, got ${describe(matrix)}.`);
  return { thresholds, rules, matrix };
}

const shown = (decision: Decision): Decision => shownAs(decision, decisionTable);

function decisionTable({ lane, rule, action, cites, missing, passedOver, lanes }: Decision): Table {
  const valueText = (value: Citation["value"]) =>
    typeof value === "number" ? String(Number(value.toPrecision(3))) : String(value);
  return {
    caption: lane === null ? "Undecided" : `${lane}, by the rule "${rule}"`,
    columns: columns("<fact", "value", "<<from"),
    rows: cites.map(({ fact, value, from }) => [fact, valueText(value), from]),
    notes: [
      action,
      ...missing.map((text) => `Missing: ${text}.`),
      ...(lanes === null
        ? []
        : [`Strength: ${lanes.strength}. Risk: ${lanes.risk}. Best for: ${lanes.bestFor}.`]),
      ...(passedOver.length === 0
        ? []
        : [`Rules passed over: ${passedOver.map((one) => one.rule).join(", ")}.`]),
    ],
  };
}
