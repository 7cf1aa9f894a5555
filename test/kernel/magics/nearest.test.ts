// Which name was probably meant.
import { expect, it } from "vitest";
import { nearestName } from "../../../kernel/magics/nearest.ts";
import { MAGICS } from "../../../kernel/magics/table.ts";

it.each([
  ["memry", "memory"],
  ["mem", "memory"],
  ["tiem", "time"],
  ["timit", "timeit"],
  ["whos", "who"],
  ["nmp", "npm"],
  ["writefiel", "writefile"],
  ["xyzzy", null],
  ["q", null],
])("%s means %s", (typed, meant) => expect(nearestName(typed, MAGICS.keys())).toBe(meant));
