// Which name was probably meant.
import { expect, it } from "vitest";
import { nearestName } from "../../../lib/magics/nearest_name.ts";
import { GRAMMARS } from "../../../lib/magics/grammars.ts";

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
])("%s means %s", (typed, meant) => expect(nearestName(typed, GRAMMARS.keys())).toBe(meant));
