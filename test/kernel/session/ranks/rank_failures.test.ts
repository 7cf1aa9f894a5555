// What is said of a cell that failed on some ranks.
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { describeFailures, type RankFailure } from "../../../../kernel/session/ranks/rank_failures.ts";

const failure = (rank: number, ename: string, evalue: string): RankFailure => ({
  rank,
  error: { ename, evalue, traceback: [`${ename}: ${evalue}`] },
});
const told = (failures: readonly RankFailure[], size: number, stopped = false): string =>
  stripVTControlCharacters(describeFailures(failures, size, stopped).traceback.join("\n"));

const CLOSED = "a connection to another rank was closed";

describe("a cell that failed on ranks", () => {
  it("is told by the rank that was the reason, whichever was heard first", () => {
    const failures = [failure(0, "DistBackendError", CLOSED), failure(1, "RangeError", "no data")];
    expect(told(failures, 2)).toBe(`Rank 1:\nRangeError: no data\n[rank 0] DistBackendError: ${CLOSED}`);
    expect(describeFailures(failures, 2, false)).toMatchObject({
      ename: "RangeError",
      evalue: "rank 1: no data",
    });
  });

  it("is told once where all failed alike, and by their ranks where some did", () => {
    const alike = [1, 0].map((rank) => failure(rank, "RangeError", "no data"));
    expect(told(alike, 2)).toBe("All 2 ranks:\nRangeError: no data");
    expect(told([...alike, failure(2, "KeyboardInterrupt", "stopped")], 3)).toBe(
      "Ranks 0, 1:\nRangeError: no data\n[rank 2] was stopped.",
    );
  });

  it("is told by the rank that has ended before all others", () => {
    const failures = [failure(0, "RangeError", "no data"), failure(1, "SessionEnded", "Rank 1 was killed.")];
    expect(told(failures, 2)).toBe("SessionEnded: Rank 1 was killed.\n[rank 0] RangeError: no data");
  });

  it("is an interruption where the user stopped it, whatever collectives failed for it", () => {
    const failures = [failure(1, "DistBackendError", CLOSED), failure(0, "KeyboardInterrupt", "Stopped.")];
    expect(told(failures, 2, true)).toBe("KeyboardInterrupt: Stopped.");
  });
});
