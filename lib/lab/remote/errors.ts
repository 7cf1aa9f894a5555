// Declares the errors of work on another machine, for the session and its agent.

/** The server is there and says no, or nothing is there at all; it would say so again. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The server or its kernel was there and is gone. */
export class LostError extends Error {
  override readonly name = "LostError";
}

/** What a sweep throws when no remote measured anything: one sentence for each of them. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}
