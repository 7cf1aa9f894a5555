// Declares the errors of work on another machine, for the session and its agent.

/** The server refuses, or there is no server; a second try would fail in the same way. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The server or its kernel was there and is gone. */
export class LostError extends Error {
  override readonly name = "LostError";
}

/** Thrown by a sweep if no remote measured anything, with one sentence for each remote. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}
