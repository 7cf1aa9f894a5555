// Implements `lab.diagnose`: names the symptoms of the runbook's tables that this session shows. Each has its evidence,
// a first question and a first fix.
import type { Evidence } from "../evidence.ts";
import { sessionEvidence } from "../session_evidence.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { columns, type Table } from "../../../views/table.ts";
import { DETECTORS } from "./detect.ts";
import { otherSessions } from "./processes.ts";
import { type SymptomName, SYMPTOMS } from "./symptoms.ts";

export interface Finding {
  readonly symptom: SymptomName;
  /** The likely cause, if there is evidence for it; otherwise a sentence that says that the cause is not known. */
  readonly hypothesis: string;
  readonly evidence: readonly string[];
  readonly question: string;
  readonly fix: string;
}

export interface Diagnosis {
  readonly found: readonly Finding[];
  /** Symptoms that were looked for and not found. */
  readonly absent: readonly SymptomName[];
  /** Symptoms that could not be judged, and the evidence that each needs. */
  readonly open: readonly { readonly symptom: SymptomName; readonly needs: string }[];
}

/**
 * Looks for every symptom in the ledger, in results that this session recorded in its logbook, and in given evidence.
 *
 *     lab.diagnose({ syncs: lab.syncs(step), comparison: await lab.compare(step) });
 *
 * @throws TypeError, RangeError for evidence that does not fit
 */
export function diagnose(given: Evidence = {}): Diagnosis {
  const { evidence } = sessionEvidence("lab.diagnose", given);
  const processes = evidence.processes ?? otherSessions();
  return diagnosisOf(processes === null ? evidence : { ...evidence, processes });
}

export function diagnosisOf(evidence: Evidence): Diagnosis {
  const found: Finding[] = [];
  const absent: SymptomName[] = [];
  const open: { symptom: SymptomName; needs: string }[] = [];
  for (const symptom of Object.keys(SYMPTOMS) as SymptomName[]) {
    const { needs, ...usual } = SYMPTOMS[symptom];
    const seen = DETECTORS[symptom](evidence);
    if (seen === null || typeof seen === "string") open.push({ symptom, needs: seen ?? needs });
    else if (seen.evidence.length === 0) absent.push(symptom);
    else found.push({ symptom, ...usual, ...seen.cause, evidence: seen.evidence });
  }
  return shownAs({ found, absent, open }, diagnosisTable);
}

/** The most lines of evidence that are shown for one symptom; the finding has all of them. */
const MAX_LINES = 5;
/**
 * In a longer line folders are shortened, and then long words are cut. Pages and terminals break lines at spaces only.
 */
const LINE_LENGTH = 96;

/** One row for each piece of evidence: several columns of sentences would be too narrow to read. */
function diagnosisTable({ found, absent, open }: Diagnosis): Table {
  const notes = open.map(({ symptom, needs }) => `Not known: ${symptom} (${needs}).`);
  if (absent.length > 0) notes.unshift(`Not there: ${absent.join(", ")}.`);
  return {
    caption: found.length === 0 ? "No symptom found" : "Symptoms, with the first question and the first fix",
    columns: columns("<symptom", "<", "<"),
    rows: found.flatMap(({ symptom, hypothesis, evidence, question, fix }) => [
      [symptom, "likely", hypothesis],
      ...evidenceLines(evidence).map((line, at) => ["", at === 0 ? "seen" : "", line]),
      ["", "ask first", question],
      ["", "do first", fix],
    ]),
    notes,
  };
}

/** Shortens a long line by its folders, `/home/ann/x/step.ts:14` -> `…/x/step.ts:14`. */
function evidenceLines(evidence: readonly string[]): string[] {
  const lines = evidence
    .slice(0, MAX_LINES)
    .map((line) => line.replaceAll(/\s+/g, " "))
    .map((line) =>
      line.length <= LINE_LENGTH ? line : line.replaceAll(/(?:\/[^\s/]+)+(?=(?:\/[^\s/]+){2})/g, "…"),
    )
    .map((line) => line.replaceAll(/\S{97,}/g, (word) => `${word.slice(0, LINE_LENGTH - 1)}…`));
  return evidence.length > MAX_LINES ? [...lines, `and ${evidence.length - MAX_LINES} more`] : lines;
}
