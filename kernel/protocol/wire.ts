// Encodes messages as frames and decodes them: the delimiter, the signature, the JSON parts. Nothing is parsed before
// its signature is verified, and each signature is accepted once.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Header, Json, Message } from "./messages.ts";
import { preview } from "./preview.ts";

const DELIMITER = Buffer.from("<IDS|MSG>");
/** Header, parent header, metadata, content: what the signature covers. Buffers after them are not signed. */
const SIGNED_PARTS = 4;
/** Clients send about 300 bytes. The limit also rejects headers that are nested without end. */
const MAX_HEADER_BYTES = 8192;
/** jupyter_client remembers as many signatures. */
const REMEMBERED_SIGNATURES = 65_536;
/**
 * This many bytes of each signature are kept, as a number, which takes a fifth of the text's memory. They are enough
 * that two signatures are not equal by chance.
 */
const REMEMBERED_BYTES = 6;

/** A JSON escape. If it is half of a surrogate pair, it is captured: whole pairs are not escaped. */
const ESCAPE = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/**
 * Replaces half of a surrogate pair by U+FFFD, as an encoder for UTF-8 does: `"😀".slice(0, 1)`. Python would accept the
 * half, and the Jupyter server would then fail to save the notebook.
 */
const wellFormed = (json: string): string =>
  json.includes("\\ud")
    ? json.replace(ESCAPE, (escape, half) => (half === undefined ? escape : "\ufffd"))
    : json;

/**
 * The frames are no message that this kernel accepts. The sender gets no answer, because it may not be who it claims to
 * be.
 */
export class WireError extends Error {
  override readonly name = "WireError";
}

export class Wire {
  readonly #digest: string;
  readonly #key: string;
  readonly #seen = new Set<number>();

  /** @param key if empty, messages are not signed, which the protocol allows */
  constructor(digest: string, key: string) {
    this.#digest = digest;
    this.#key = key;
  }

  encode(message: Message): Buffer[] {
    const { header, parent_header, metadata, content } = message;
    const parts = [header, parent_header, metadata, content].map((part) =>
      Buffer.from(wellFormed(JSON.stringify(part))),
    );
    return [...message.identities, ...this.sign(parts), ...message.buffers];
  }

  /** The delimiter, the signature and the four parts. */
  sign(parts: readonly Buffer[]): Buffer[] {
    return [DELIMITER, Buffer.from(this.#digestOf(parts).toString("hex")), ...parts];
  }

  /** @throws WireError */
  decode(frames: readonly Buffer[]): Message {
    const delimiter = frames.findIndex((frame) => frame.equals(DELIMITER));
    if (delimiter < 0) throw new WireError(`no <IDS|MSG> delimiter in ${frames.length} frames`);
    const signature = frames[delimiter + 1];
    const parts = frames.slice(delimiter + 2, delimiter + 2 + SIGNED_PARTS);
    if (signature === undefined || parts.length < SIGNED_PARTS) {
      throw new WireError(
        `${frames.length - delimiter - 1} frames after the delimiter, where a message has at least 5`,
      );
    }
    this.#verify(signature, parts);
    const [{ byteLength: headerBytes }] = parts as [Buffer, ...Buffer[]];
    if (headerBytes > MAX_HEADER_BYTES) {
      throw new WireError(
        `a header of ${headerBytes} bytes: every answer repeats it, so at most ${MAX_HEADER_BYTES}`,
      );
    }
    const [header, parent, metadata, content] = parts.map(parseObject) as [Json, Json, Json, Json];
    return {
      identities: frames.slice(0, delimiter),
      header: asHeader(header),
      parent_header: parent as unknown as Message["parent_header"],
      metadata,
      content,
      buffers: frames.slice(delimiter + 2 + SIGNED_PARTS),
    };
  }

  #digestOf(parts: readonly Buffer[]): Buffer {
    if (this.#key === "") return Buffer.alloc(0);
    const hmac = createHmac(this.#digest, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  }

  #verify(signature: Buffer, parts: readonly Buffer[]): void {
    if (this.#key === "") return;
    const digest = this.#digestOf(parts);
    const expected = digest.toString("hex");
    const given = signature.toString("latin1");
    if (given.length !== expected.length || !timingSafeEqual(Buffer.from(expected), signature)) {
      throw new WireError(given === "" ? "the message is not signed" : "the signature is not by our key");
    }
    const remembered = digest.readUIntBE(0, REMEMBERED_BYTES);
    if (this.#seen.has(remembered)) throw new WireError("a message that came before, replayed");
    this.#seen.add(remembered);
    if (this.#seen.size > REMEMBERED_SIGNATURES) {
      // A Set iterates in the order of insertion, so the first is the oldest.
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        break;
      }
    }
  }
}

const PART_NAMES = ["header", "parent header", "metadata", "content"] as const;

function parseObject(part: Buffer, index: number): Json {
  let value: unknown;
  try {
    value = JSON.parse(part.toString("utf8"));
  } catch {
    throw new WireError(`the ${PART_NAMES[index]} is not JSON`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError(`the ${PART_NAMES[index]} is not a JSON object`);
  }
  return value as Json;
}

function asHeader(header: Json): Header {
  for (const field of ["msg_id", "msg_type", "session", "username"]) {
    if (typeof header[field] !== "string") {
      throw new WireError(`the header's ${field} is not a string but ${preview(header[field])}`);
    }
  }
  const { subshell_id } = header;
  if (subshell_id != null && typeof subshell_id !== "string") {
    throw new WireError(`the header's subshell_id is not a string but ${preview(subshell_id)}`);
  }
  return header as unknown as Header;
}
