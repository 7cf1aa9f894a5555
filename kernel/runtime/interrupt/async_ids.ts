// Empties Node's stack of async ids. When V8 unwinds code from outside, the functions that would pop their ids do not
// run. Node aborts when it finds an id too many.

interface AsyncWrap {
  clearAsyncIdStack(): void;
}

/**
 * What Node itself calls after an uncaught exception. Null if a later Node gives no way to it: then code that runs
 * below Node's own frames cannot be unwound.
 */
export const clearAsyncIdStack: (() => void) | null = find();

function find(): (() => void) | null {
  const { binding } = process as unknown as { binding?: (name: string) => Partial<AsyncWrap> };
  const silent = process.noDeprecation;
  try {
    process.noDeprecation = true;
    return binding?.("async_wrap").clearAsyncIdStack ?? null;
  } catch {
    return null;
  } finally {
    process.noDeprecation = silent ?? false;
  }
}
