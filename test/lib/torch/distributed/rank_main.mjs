// One rank of a test: runs the functions that the test sends, and sends back what they return or throw.
import { runInThisContext } from "node:vm";
import * as mpslab from "../../../../dist/bundle/lib/index.js";

const { RANK, WORLD_SIZE, MASTER_PORT } = process.env;
const messageOf = (run) => {
  try {
    run();
    return "";
  } catch (error) {
    return error.message;
  }
};
const scope = {
  ...mpslab,
  messageOf,
  rank: Number(RANK),
  size: Number(WORLD_SIZE),
  port: Number(MASTER_PORT),
};

const failed = (error) => ({
  error: {
    name: error?.name,
    message: error?.message,
    rank: error?.rank,
    silentRanks: error?.silentRanks,
    cause: error?.cause?.message,
  },
});

process.on("message", async ({ source, argument }) => {
  const began = performance.now();
  let answer;
  try {
    const run = runInThisContext(`(${source})`);
    answer = { value: await run({ ...scope, argument }) };
  } catch (error) {
    answer = failed(error);
  }
  process.send({ ...answer, ms: performance.now() - began });
});
process.send({ ready: true });
