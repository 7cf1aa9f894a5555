// Libraries go on seeing the real ones.
import { setTimeout } from "node:timers/promises";

const performance = { accuracy: 0.97 };
class Response {
  static of = () => new Response();
}
function process({ performance: own = performance }, { fetch }: { fetch: number }) {
  return { own, fetch, Response, waited: setTimeout(1, "waited") };
}
await process({}, { fetch: 1 }).waited;
