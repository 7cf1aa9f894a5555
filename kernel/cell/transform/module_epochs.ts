// Wraps loops over `lab.epochs(...)` in local files. An iterator cannot see whether `break` or a throw ended its loop,
// so the code reports a throw. Nothing else is inserted: such a loop measures and flushes by itself.
//
//     for (const epoch of lab.epochs(3)) train(epoch);
//  -> { let __mpslab_of; for (const epoch of (__mpslab_of = lab.epochs(3))) { try { train(epoch); }
//       catch (__mpslab_error) { __mpslab_of[Symbol.for("mpslab.cutEpoch")]?.(); throw __mpslab_error; } } }
import { CUT_EPOCH } from "../../../lib/contract.ts";
import { MagicString } from "magic-string";
import { findEpochLoops } from "./epochs.ts";
import { RESERVED_PREFIX } from "../names.ts";
import { parseJavaScript } from "../../../lib/typescript/parse.ts";
import { type Mapped, throughMap } from "./source_map.ts";

const VALUES = `${RESERVED_PREFIX}of`;
const ERROR = `${RESERVED_PREFIX}error`;
const CATCH = `catch (${ERROR}) { ${VALUES}[Symbol.for("${CUT_EPOCH}")]?.(); throw ${ERROR}; }`;

/** @param lowered JavaScript that our own transformer wrote */
export function tellCutEpochs(lowered: Mapped): Mapped {
  // Few files have one: the others are not parsed again.
  if (!/\bepochs\s*\(/.test(lowered.code)) return lowered;
  const { program, comments } = parseJavaScript(lowered.code);
  const output = new MagicString(lowered.code);
  for (const { loop, statement, explicit } of findEpochLoops(program, comments, lowered.code)) {
    if (!explicit || loop.type !== "ForOfStatement") continue;
    const { right, body } = loop;
    const isBlock = body.type === "BlockStatement";
    output.appendLeft(right.start, `(${VALUES} = `).prependRight(right.end, ")");
    output.appendRight(body.start, isBlock ? "{ try " : "{ try { ");
    output.prependLeft(body.end, isBlock ? ` ${CATCH} }` : ` } ${CATCH} }`);
    output.prependRight(statement.start, `{ let ${VALUES}; `).appendLeft(statement.end, " }");
  }
  if (!output.hasChanged()) return lowered;
  const mappings = output.generateMap({ hires: "boundary" }).mappings;
  return throughMap({ code: output.toString(), mappings }, lowered.mappings);
}
