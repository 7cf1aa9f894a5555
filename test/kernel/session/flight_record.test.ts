// The file of the flight recorder: it has its bytes before the addon maps it, or is not there at all.
import { execFileSync } from "node:child_process";
import { fstatSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { FlightRecord } from "../../../kernel/session/flight_record.ts";

it("has its whole length from the beginning, and no operator in it", () => {
  const record = new FlightRecord();
  expect(fstatSync(record.file!).size).toBe(256 * 1024);
  expect(record.read()).toBeNull();
  record.close();
});

it("is left out where the disk has no room: stores into a mapped file without its bytes would end the session", () => {
  const module = path.resolve("dist/kernel/session/flight_record.js");
  const program = `
    import { FlightRecord } from ${JSON.stringify(module)};
    const record = new FlightRecord();
    console.log(record.file, record.read());
    record.close();`;
  // No file of this program may get a byte, as on a full disk.
  const words = [
    "-c",
    'ulimit -f 0 && exec "$0" "$@"',
    process.execPath,
    "--input-type=module",
    "-e",
    program,
  ];
  expect(execFileSync("/bin/bash", words, { encoding: "utf8" })).toBe("null null\n");
});
