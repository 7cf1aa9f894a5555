// The claims of five documents about MPS: each stands in its document, and was measured by a cell that ran. claims.json
// is collected from the stored outputs; MPSLAB_UPDATE_CLAIMS=1 writes it anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { MPS_VARIABLES } from "../lib/torch/devices/mps/environment_variables.ts";
import { METAL_KERNELS } from "../lib/torch/engine/metal_kernels.generated.ts";
import { appleSilicon } from "../notebooks/claims/apple_silicon.ts";
import type { ClaimRecord } from "../notebooks/claims/claims.ts";
import { TORCH_VERSION } from "../native/setup/python.mjs";
import { mpsBackend } from "../notebooks/claims/mps_backend.ts";
import { mpsRunbook } from "../notebooks/claims/mps_runbook.ts";
import { optimizeMps } from "../notebooks/claims/optimize_mps.ts";
import { latest } from "../notebooks/claims/releases.ts";
import { torch28OnMps } from "../notebooks/claims/torch_2_8_on_mps.ts";
import { type NotebookCell, textOf } from "./helpers/notebook_content.ts";

const root = path.resolve(import.meta.dirname, "..");
const folder = path.join(root, "notebooks");
const file = path.join(folder, "claims.json");
const OWN = "claims.ipynb";
const CLAIMS = "application/vnd.mpslab.claims+json";

type Stored = NotebookCell & { readonly id: string; readonly execution_count: number | null };
const notebook = (name: string) =>
  JSON.parse(readFileSync(path.join(folder, name), "utf8")) as { readonly cells: readonly Stored[] };

type Collected = ClaimRecord & Required<Pick<ClaimRecord, "notebook" | "cell">>;

/** The claims in the outputs of the notebook's cells, each with the cell that measured it. */
const stored = (): Collected[] =>
  notebook(OWN).cells.flatMap(({ id, outputs = [] }) =>
    outputs.flatMap((output) => {
      const data = "data" in output ? output.data[CLAIMS] : undefined;
      return ((data ?? []) as ClaimRecord[]).map((claim) => ({ notebook: OWN, cell: id, ...claim }));
    }),
  );

if (process.env["MPSLAB_UPDATE_CLAIMS"] === "1")
  writeFileSync(file, `${JSON.stringify(stored(), null, 2)}\n`);
const claims = JSON.parse(readFileSync(file, "utf8")) as Collected[];

it("claims.json is what the notebook's stored run measured", () => {
  expect(claims).toEqual(stored());
});

it("there are at least 80, each listed once, with a name and a sentence of its own", () => {
  const listed = [optimizeMps, torch28OnMps, mpsBackend, mpsRunbook, appleSilicon].flatMap((list) =>
    Object.keys(list),
  );
  expect(claims.length).toBeGreaterThanOrEqual(80);
  expect(claims.map(({ id }) => id).toSorted()).toEqual(listed.toSorted());
  expect(new Set(claims.map(({ claim }) => claim)).size).toBe(claims.length);
  expect(new Set(claims.map(({ document, quote }) => `${document} ${quote}`)).size).toBe(claims.length);
});

it.each(claims.map((claim) => [claim.id, claim] as const))(
  "%s stands in its document, and a cell that ran measured it",
  (_, { document, line, quote, measured, notebook: name, cell: id, verdict, changedIn, source, instead }) => {
    const text = readFileSync(path.join(folder, "claims/documents", `${document}.txt`), "utf8");
    expect(text.split("\n")[line - 1]).toContain(quote);

    const cells = notebook(name).cells.filter((cell) => cell.id === id);
    // Where a lesson was edited: store the run of claims.ipynb anew, then collect the claims.
    expect(cells, `${name} has a cell ${id}`).toHaveLength(1);
    expect(cells[0]!.execution_count).toBeGreaterThan(0);
    expect(shownBy(cells[0]!)).toContain(measured.replace(/\s+/g, " "));
    expect(measured).not.toBe("");

    expect([changedIn !== undefined, source !== undefined, instead !== undefined]).toEqual(
      {
        holds: [false, false, false],
        "no longer holds": [true, true, false],
        "never held": [false, false, true],
        "holds on a Mac only (not measured here)": [false, false, false],
      }[verdict],
    );
    if (changedIn !== undefined) {
      expect(changedIn).toMatch(/^\d\.\d+( or before)?$/);
      expect(source).toMatch(/pytorch\/pytorch#\d+|of the wheels?/);
    }
  },
);

it("a sentence that can be read in two ways says how it was read", () => {
  expect(claims.filter(({ reading }) => reading !== undefined).map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      "quantization",
      "manual-half-precision",
      "empty-cache-fragmentation",
      "fraction-of-available-memory",
      "bad-gradients",
    ]),
  );
});

/** What a reader of the stored cell sees, on one line. */
function shownBy({ outputs = [] }: Stored): string {
  return outputs
    .map((output) => {
      if (output.output_type === "stream") return textOf(output.text);
      if (output.output_type === "error") return String((output as { readonly evalue?: unknown }).evalue);
      return "data" in output ? textOf((output.data as Record<string, string>)["text/plain"] ?? "") : "";
    })
    .join(" ")
    .replace(/\s+/g, " ");
}

describe("the sources of the verdicts", () => {
  it("of releases end with the one that is installed, and know the kernels that it has", () => {
    expect(latest.version).toBe(TORCH_VERSION);
    const kernels = new Set(METAL_KERNELS.split(" "));
    const metal = ["grid_sampler_3d", "sgn.out", "_linalg_slogdet.sign", "linalg_eig.out", "_fft_r2c"];
    expect(latest.kernels.filter((name) => metal.includes(name))).toEqual(
      metal.filter((name) => kernels.has(name)),
    );
  });

  it("have the variables that %env lists", () => {
    const listed = MPS_VARIABLES.map(({ name }) => name).filter((name) => name.startsWith("PYTORCH_"));
    expect(listed.toSorted()).toEqual(latest.variables);
  });

  // Where the documents were first given, they lie beside the repository.
  const originals = path.join(root, "../shared/seeds");
  it.skipIf(!existsSync(originals))("the documents are whole: each is equal to one that was given", () => {
    const copies = path.join(folder, "claims/documents");
    const read = (from: string) =>
      readdirSync(from).map((name) => readFileSync(path.join(from, name), "utf8"));
    expect(read(copies).toSorted()).toEqual(read(originals).toSorted());
  });
});
