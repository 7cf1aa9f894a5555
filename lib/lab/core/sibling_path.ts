// Names files beside the notebook: `tour.ipynb` -> `tour.logbook.jsonl`.
import path from "node:path";
import { notebookFolder } from "../../session.ts";

/**
 * @param otherwise the first part of the name, for a front end that does not name its notebook
 */
export function siblingPath(ending: string, otherwise: string): string {
  const notebook = path.basename(process.env["JPY_SESSION_NAME"] ?? "", ".ipynb");
  return path.resolve(notebookFolder(), `${notebook || otherwise}.${ending}`);
}
