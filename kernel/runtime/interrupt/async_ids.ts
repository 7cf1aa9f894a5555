// Empties Node's stack of async ids. When V8 unwinds code from outside, the functions that would pop their ids do not
// run, and Node aborts when it finds an id too many.

type FatalException = (error: unknown, fromPromise: boolean) => boolean;

/**
 * Node empties the stack when it handles an uncaught exception, and offers no other way. The capture callback keeps the
 * exception from all listeners but those for `uncaughtExceptionMonitor`.
 *
 * @returns whether Node has handled the exception; false if the user has set a capture callback, which would get it
 */
export function clearAsyncIdStack(reason: Error): boolean {
  if (process.hasUncaughtExceptionCaptureCallback()) return false;
  const { _fatalException: fatalException } = process as unknown as { _fatalException?: FatalException };
  process.setUncaughtExceptionCaptureCallback(() => {});
  try {
    return fatalException?.(reason, false) ?? false;
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
}
