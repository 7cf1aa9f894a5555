// The end of a session, as a notebook goes on after it: imports are there again, the rest by its cells and `%restore`.
import type { Execution } from "../../helpers/kernel_client.ts";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds } from "../violation.ts";

/** The error of the cell that ran. @throws Violation unless it says what has happened, and how to go on */
export function tellsKill({ errors, reply }: Execution): void {
  const [error] = errors;
  holds(
    reply["ename"] === "SessionEnded" && String(error?.["evalue"]).includes("SIGKILL"),
    `The cell whose session was killed ended with ${JSON.stringify(reply)}.`,
  );
}

/** Runs the first cell of the new session, and the notebook's first cells. Returns the milliseconds until that one. */
export async function goesOn(soaked: SoakedKernel, killedMs: number): Promise<number> {
  soaked.variables.lost();
  const recoveryMs = await soaked.recovers(killedMs);
  const imported = await soaked.run("torch.ones([3]).sum().item()");
  holds(imported.result === "3", `After a kill torch.ones([3]).sum() is ${imported.result}.`);
  await soaked.prepare();
  if (soaked.variables.hasSnapshot) await restores(soaked);
  return recoveryMs;
}

/** The same as long as the model's parameters are. */
const CHECKSUM = "JSON.stringify([...model.parameters()].map((each) => each.sum().item()))";

/** Saves everything; the soak's model knows it from now on. */
export async function saves(soaked: SoakedKernel): Promise<void> {
  const { stdout } = await soaked.run(`console.log(${CHECKSUM});`);
  const checksum = stdout.trim();
  await soaked.run(`const checksum = ${JSON.stringify(checksum)};`);
  soaked.variables.assigned({ checksum });
  await soaked.run("%snapshot");
  soaked.variables.saved();
}

async function restores(soaked: SoakedKernel): Promise<void> {
  await soaked.run("%restore");
  soaked.variables.restored();
  await soaked.compareVariables();
  const { result } = await soaked.run(`${CHECKSUM} === checksum`);
  holds(result === "true", "The restored model has other parameters than the one that was saved.");
}
