// `npm run test:operators -- docstrings`: runs the examples of PyTorch's docstrings in `.venv-bench`, and keeps what they show
// for docstrings.test.ts, which runs them here. Why an example was left out stands on stderr.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { torch } from "../../../lib/index.ts";
import { makePeers, peerPython } from "../../bench/environment.ts";
import { folder, keptFile, type Shown } from "./corpus.ts";

makePeers(torch.version);
const printed = execFileSync(peerPython, [path.join(folder, "record.py")], {
  encoding: "utf8",
  env: { ...process.env, CUDA_VISIBLE_DEVICES: "" },
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "inherit"],
});
writeFileSync(keptFile, gzipSync(printed, { level: 9 }));
const count = Object.keys(JSON.parse(printed) as Record<string, Shown>).length;
console.log(
  `${count} examples run in PyTorch ${torch.version}: npm test -- test/operators/docstrings compares them.`,
);
