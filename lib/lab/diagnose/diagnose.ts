// `lab.diagnose`: which symptoms of the runbook's tables this session shows, each with evidence, first question and
// first fix. Binds the detectors to the session.
import type { Evidence } from "../evidence.ts";
import { sessionEvidence } from "../session_evidence.ts";
import { columns, shownAs, type Table } from "../table.ts";
import { DETECTORS } from "./detect.ts";
import { otherSessions } from "./processes.ts";
import { type SymptomName, SYMPTOMS } from "./symptoms.ts";

export interface Finding {
  readonly symptom: SymptomName;
  readonly hypothesis: string;
  readonly evidence: readonly string[];
  readonly question: string;
  readonly fix: string;
}

export interface Diagnosis {
  readonly found: readonly Finding[];
  /** Looked for, and not there. */
  readonly absent: readonly SymptomName[];
  /** What nothing can be said of, and how to change that. */
  readonly open: readonly { readonly symptom: SymptomName; readonly needs: string }[];
}

/**
 * Looks for every symptom in the ledger, in results that this session recorded in its logbook, and in what is given.
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
    const { needs, ...known } = SYMPTOMS[symptom];
    const seen = DETECTORS[symptom](evidence);
    if (seen === null) open.push({ symptom, needs });
    else if (seen.length === 0) absent.push(symptom);
    else found.push({ symptom, ...known, evidence: seen });
  }
  return shownAs({ found, absent, open }, diagnosisTable);
}

function diagnosisTable({ found, absent, open }: Diagnosis): Table {
  const notes = open.map(({ symptom, needs }) => `Not known: ${symptom} (${needs}).`);
  if (absent.length > 0) notes.unshift(`Not there: ${absent.join(", ")}.`);
  return {
    caption: found.length === 0 ? "No symptom found" : "Symptoms, with the first question and the first fix",
    columns: columns("<symptom", "<<hypothesis", "<<evidence", "<<first question", "<<first fix"),
    rows: found.map(({ symptom, hypothesis, evidence, question, fix }) => [
      symptom,
      hypothesis,
      evidence.join("\n"),
      question,
      fix,
    ]),
    notes,
  };
}
