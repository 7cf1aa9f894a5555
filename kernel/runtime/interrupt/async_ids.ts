// Empties Node's stack of async ids. When V8 unwinds code from outside, the functions that would pop their ids do not
// run. Node aborts when it finds an id too many.

type FatalException = (error: unknown, fromPromise: boolean) => boolean;

/**
 * Node's own handling of an uncaught exception empties the stack, and Node gives no other way to it. A capture callback
 * keeps the exception from everyone else; a listener for `uncaughtExceptionMonitor` sees it.
 *
 * @returns whether Node took it; false where the user set a capture callback, which would be called instead of ours
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
