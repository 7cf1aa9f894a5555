// Defines streams of the Metal device (`torch.mps.streams`): sequences of work that are independent of each other.
// Each thread has its own current stream. On simulated Metal all streams share one queue.
import { checkFunction, describe } from "../../vocabulary/arguments.ts";
import { requireFinished } from "../../vocabulary/finished.ts";
import { native } from "../../engine/native.ts";
import { requireMetal } from "./availability.ts";

/** A stream of PyTorch's pool of 32, handed out in turn. */
export class Stream {
  /** 0 is the default stream's. */
  readonly streamId: number;

  constructor() {
    requireMetal("mps.Stream");
    this.streamId = native.mps.newStream();
  }

  /** Waits until everything launched into this stream is done. */
  synchronize(): void {
    native.mps.synchronizeStream(this.streamId);
  }

  /** Whether both stand for the same stream, which may have several objects. */
  equals(other: Stream): boolean {
    return checkStream("mps.Stream.equals", other)?.streamId === this.streamId;
  }

  /** `mps.Stream(1)` */
  toString(): string {
    return `mps.Stream(${this.streamId})`;
  }
}

/** An object for an existing stream. */
function streamOf(streamId: number): Stream {
  return Object.assign(Object.create(Stream.prototype) as Stream, { streamId });
}

function checkStream(call: string, stream: unknown): Stream | null {
  if (stream === null || stream instanceof Stream) return stream;
  throw new TypeError(`${call}: the stream must be an mps.Stream or null, got ${describe(stream)}.`);
}

/** The stream that operators are launched into now. */
export function currentStream(): Stream {
  requireMetal("mps.currentStream");
  return streamOf(native.mps.currentStream());
}

/** The stream that operators go into unless another one is set; its number is 0. */
export function defaultStream(): Stream {
  requireMetal("mps.defaultStream");
  return streamOf(0);
}

/**
 * Launches into `stream` from now on; null changes nothing. Unlike this, `mps.stream` restores the earlier stream by
 * itself.
 */
export function setStream(stream: Stream | null): void {
  const checked = checkStream("mps.setStream", stream);
  requireMetal("mps.setStream");
  if (checked !== null) native.mps.setStream(checked.streamId);
}

/** Runs `body` with its operators launched into `stream`; null changes nothing. */
export function stream<T>(stream: Stream | null, body: () => T): T {
  const checked = checkStream("mps.stream", stream);
  checkFunction("mps.stream", "body", body);
  const earlier = currentStream();
  setStream(checked);
  try {
    return requireFinished(
      "mps.stream",
      body(),
      "the stream is in use until it returns. Call mps.stream() around the synchronous parts, or mps.setStream() before and after.",
    );
  } finally {
    setStream(earlier);
  }
}
