// Ten training steps of each kind of model on the session's device, as figures: parameters, losses, growth, fallbacks.
import { lab } from "mpslab";

const { rows } = lab.architectures();
const figures: Record<string, number | null> = {};
for (const { name, parameters, steps, losses, growthBytes, fallbacks, error } of rows) {
  if (error !== null) console.error(`${name}: ${error}`);
  figures[`${name}, parameters`] = parameters;
  figures[`${name}, steps`] = steps;
  figures[`${name}, first loss`] = losses[0] ?? null;
  figures[`${name}, last loss`] = losses.at(-1) ?? null;
  figures[`${name}, growth in bytes`] = growthBytes;
  figures[`${name}, fallbacks`] = fallbacks?.reduce((sum, { calls }) => sum + calls, 0) ?? null;
}
console.log(JSON.stringify(figures));
