// Reads the text of a CSV file: unpacks gzip, and decodes bytes.
import { isUtf8, kMaxLength } from "node:buffer";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type SizeLimit, tooLarge } from "../../../size_limit.ts";
import { fileFailure } from "../../../whole_file.ts";
import { describe } from "../../vocabulary/arguments.ts";

/** The text of a source, and its name in messages. */
export interface CsvContents {
  readonly name: string;
  readonly text: string;
}

export function contentsOf(
  call: string,
  source: unknown,
  encoding: string | undefined,
  limit: SizeLimit,
): CsvContents {
  if (typeof source === "string" && /[\r\n]/.test(source)) return { name: "the text", text: source };
  if (source instanceof Uint8Array)
    return { name: "the bytes", text: decoded(call, "the bytes", source, encoding) };
  const file = fileOf(call, source);
  const name = path.basename(file);
  return { name, text: decoded(call, name, bytesOf(call, file, limit), encoding) };
}

function fileOf(call: string, source: unknown): string {
  if (typeof source === "string" && /^https?:/.test(source))
    throw new TypeError(
      `${call}: ${source} is not on this machine; fetch it first: data.readCsv(new Uint8Array(await (await fetch(url)).arrayBuffer())).`,
    );
  if (typeof source === "string" && source !== "") return source;
  if (source instanceof URL && source.protocol === "file:") return fileURLToPath(source);
  throw new TypeError(
    `${call}: expected a file's path, a text of several lines or a Uint8Array, got ${describe(source)}.`,
  );
}

function bytesOf(call: string, file: string, limit: SizeLimit): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileFailure(call, file, error);
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(limit.bytes, kMaxLength) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw tooLarge(call, `${file} unpacks to`, limit);
    throw new Error(`${call}: ${file} is not a whole gzip file (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

function decoded(call: string, name: string, bytes: Uint8Array, given: string | undefined): string {
  const encoding = given ?? encodingOf(bytes);
  try {
    if (encoding === "utf-8") {
      if (!isUtf8(bytes)) throw new TypeError("a byte is not of it");
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        .toString()
        .replace(/^\uFEFF/, "");
    }
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    // V8 holds no text of 512 MiB or more.
    if ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG")
      throw new RangeError(
        `${call}: ${name} has ${bytes.length} bytes, more than a text can hold; split it into files of 500 MB.`,
        { cause: error },
      );
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_NOT_SUPPORTED")
      throw new RangeError(
        `${call}: there is no encoding ${describe(encoding)}; names are those of TextDecoder, as "utf-16le" and "windows-1252".`,
      );
    const hint = given === undefined ? '; if it was written by Excel, try encoding: "windows-1252"' : "";
    throw new TypeError(`${call}: ${name} cannot be read as ${describe(encoding)}${hint}.`, { cause: error });
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}
