// The programs by subject, and what PyTorch answered to each of them when it was last asked.
import { readFileSync } from "node:fs";
import path from "node:path";
import { folder } from "../tally.ts";
import type { Outcome } from "./compare.ts";
import type { Programs } from "./helpers.ts";
import { inPlace } from "./in_place.ts";
import { modes } from "./modes.ts";
import { trainings } from "./trainings.ts";
import { captured } from "./captured.ts";
import { numerics } from "./numerics.ts";
import { aliases } from "./aliases.ts";
import { layers } from "./layers.ts";
import { losses } from "./losses.ts";
import { states } from "./states.ts";
import { generators } from "./generators.ts";
import { dtypes } from "./dtypes.ts";
import { numberDtypes } from "./number_dtypes.ts";
import { indices } from "./indices.ts";
import { views } from "./views.ts";
import { graphs } from "./graphs.ts";
import { schedulers } from "./schedulers.ts";
import { optimizers } from "./optimizers.ts";

/** By the name of the Python file. */
export const subjects: Readonly<Record<string, Programs>> = {
  in_place: inPlace,
  modes,
  trainings,
  captured,
  numerics,
  aliases,
  layers,
  losses,
  states,
  generators,
  dtypes,
  number_dtypes: numberDtypes,
  indices,
  views,
  graphs,
  schedulers,
  optimizers,
};

export type Results = Readonly<Record<string, Readonly<Record<string, Outcome>>>>;

export const resultsFile = path.join(folder, "programs", "results.json");

export const keptResults = (): Results => JSON.parse(readFileSync(resultsFile, "utf8")) as Results;

/** PyTorch's name of a program in ours. */
export const camel = (name: string): string =>
  name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
