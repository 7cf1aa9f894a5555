// Makes cells that never end by themselves: loops, `try`, functions, generators, callbacks and helpers that try again, nested at
// random. Each catches whatever is thrown, prints, and goes on. The seed says which.
import { seededRandom } from "../../../../lib/statistics/seeded_random.ts";

type Random = () => number;

/** Helpers that try again, of a package: their code has no checks. */
export const persistentPackage = {
  "node_modules/persistent/package.json":
    '{ "name": "persistent", "type": "module", "exports": "./index.js" }',
  "node_modules/persistent/index.js": `
    import { setTimeout as sleep } from "node:timers/promises";
    export async function retry(work) {
      for (;;) {
        try { return await work(); } catch {}
        await sleep(1);
      }
    }
    export function retryLater(work) {
      return new Promise((resolve) => {
        const attempt = () => Promise.resolve().then(work).then(resolve, () => setTimeout(attempt, 1));
        attempt();
      });
    }
    export function each(values, work) {
      for (const value of values) { try { work(value); } catch {} }
    }`,
};

export const nestPreparation = `
  import { each, retry, retryLater } from "persistent";
  let kept = 42;
  function pause(ms: number) { return new Promise<void>((resolve) => setTimeout(resolve, ms)); }
  async function again(work: () => unknown) { for (;;) { try { return await work(); } catch { await pause(1); } } }
  function* numbers() { for (let n = 0; ; n++) { try { yield n; } catch {} finally {} } }`;

const LEAVES = ["console.log('went on');", "kept = 42;", "Math.sqrt(kept);"];
const ASYNC_LEAVES = ["await pause(1);", "await null;", "await Promise.reject(new Error('on purpose'));"];

/** A cell that prints "begun" when it is in its nest. */
export function randomNest(seed: number): string {
  const random = seededRandom(seed);
  return `console.log("begun"); for (;;) { try { ${body(random, 4, true)} await pause(1); } catch (error) { console.log(error); } }`;
}

function body(random: Random, depth: number, isAsync: boolean): string {
  const count = 1 + Math.floor(random() * 2);
  return Array.from({ length: count }, () => statement(random, depth, isAsync)).join(" ");
}

function statement(random: Random, depth: number, isAsync: boolean): string {
  if (depth === 0) return pick(random, isAsync ? [...LEAVES, ...ASYNC_LEAVES] : LEAVES);
  const inner = (asyncInside: boolean): string => body(random, depth - 1, asyncInside);
  const forms: (() => string)[] = [
    () => `for (let i = 0; i < 3; i++) { ${inner(isAsync)} }`,
    () => `for (const n of numbers()) { ${inner(isAsync)} if (n > 2) break; }`,
    () => `try { ${inner(isAsync)} } catch (error) { console.log(error); } finally { kept = 42; }`,
    () => `try { ${inner(isAsync)} } catch { ${inner(isAsync)} }`,
    () => `[1, 2].forEach(() => { ${inner(false)} });`,
    () => `each([1, 2], () => { ${inner(false)} });`,
    () => `setTimeout(() => { try { ${inner(false)} } catch (error) { console.log(error); } }, 1);`,
    () => `void (async () => { try { ${inner(true)} } catch {} })();`,
  ];
  if (isAsync) {
    forms.push(
      () => `await again(async () => { ${inner(true)} });`,
      () => `await retry(async () => { ${inner(true)} });`,
      () => `await retryLater(async () => { ${inner(true)} });`,
      () => `await Promise.allSettled([1, 2].map(async () => { ${inner(true)} }));`,
      () => `await (async () => { ${inner(true)} })().catch(() => (kept = 42));`,
      () => `await Promise.race([pause(2), (async () => { ${inner(true)} })().catch(() => {})]);`,
    );
  }
  return pick(random, forms)();
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}
