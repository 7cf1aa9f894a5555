// Byte counts, times and shares as the charts and summaries write them.
import { expect, it } from "vitest";
import { formatBytes, formatChange, formatShare, formatTime } from "../../lib/units.ts";

const MIB = 2 ** 20;

it.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [12.5 * MIB, "12.5 MiB"],
  [1.234 * 1024 * MIB, "1.23 GiB"],
  [2 * 1024 ** 2 * MIB, "2 TiB"],
  [-3 * MIB, "-3 MiB"],
])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  [0, "0 ms"],
  [0.0000125, "12.5 ns"],
  [0.25, "250 µs"],
  [3.456, "3.46 ms"],
  [182.4, "182 ms"],
  [2760, "2.76 s"],
  [599_000, "599 s"],
  [3_725_000, "62 min 5 s"],
])("%d milliseconds are %s", (milliseconds, text) => expect(formatTime(milliseconds)).toBe(text));

it.each([
  [0, "0%"],
  [0.0001, "under 0.1%"],
  [0.004, "0.4%"],
  [0.034, "3%"],
  [1.5, "150%"],
])("a share of %d is %s", (share, text) => expect(formatShare(share)).toBe(text));

it.each([
  [0, "0%"],
  [0.031, "+3.1%"],
  [-0.5, "-50%"],
  [1.43, "+143%"],
  [Number.POSITIVE_INFINITY, "from nothing"],
])("a change of %d is %s", (change, text) => expect(formatChange(change)).toBe(text));
