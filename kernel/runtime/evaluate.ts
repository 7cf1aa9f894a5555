// Evaluates compiled cells in V8's REPL mode through the inspector, and fetches their values without letting the
// inspector keep them. Knows neither output nor errors' looks.
import { Session, type Runtime } from "node:inspector";

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown }
  /** The worker stopped a package's loop: V8 unwound the cell without its `finally` blocks. */
  | { readonly ok: false; readonly terminated: true };

const TAKE = "__mpslab_take";

export class Evaluator {
  readonly #session = new Session();
  #groups = 0;
  #taken: unknown;

  constructor() {
    this.#session.connect();
    Object.defineProperty(globalThis, TAKE, {
      value: (value: unknown) => {
        this.#taken = value;
      },
    });
  }

  /** The whole cell; `Session.post` stays on the stack until its first await, and the worker looks for it there. */
  evaluate(code: string): Promise<Outcome> {
    const objectGroup = `cell-${this.#groups++}`;
    return new Promise((resolve) => {
      const parameters = { expression: code, replMode: true, awaitPromise: true, objectGroup };
      this.#session.post(
        "Runtime.evaluate",
        parameters,
        (failure: Error | null, reply: Runtime.EvaluateReturnType) => {
          try {
            resolve(failure === null ? this.#outcome(reply) : outcomeOf(failure));
          } finally {
            // The inspector holds every object that it returned until told otherwise: tensors, graphs, errors.
            this.#session.post("Runtime.releaseObjectGroup", { objectGroup });
          }
        },
      );
    });
  }

  /** A short expression of our own, at once and without awaiting. `undefined` where it throws. */
  peek(
    expression: string,
    options: { readonly allowSideEffects: boolean },
  ): { readonly value: unknown } | undefined {
    const objectGroup = `cell-${this.#groups++}`;
    let result: { readonly value: unknown } | undefined;
    const parameters = {
      expression,
      throwOnSideEffect: !options.allowSideEffects,
      objectGroup,
      silent: true,
    };
    this.#session.post(
      "Runtime.evaluate",
      parameters,
      (failure: Error | null, reply: Runtime.EvaluateReturnType) => {
        if (failure === null && !reply.exceptionDetails) result = { value: this.#fetch(reply.result) };
      },
    );
    this.#session.post("Runtime.releaseObjectGroup", { objectGroup });
    return result;
  }

  #outcome(reply: Runtime.EvaluateReturnType): Outcome {
    const { result, exceptionDetails } = reply;
    if (!exceptionDetails) return { ok: true, value: this.#fetch(result) };
    const { exception, text } = exceptionDetails;
    return { ok: false, error: exception ? this.#fetch(exception) : new Error(text) };
  }

  /** The value itself for what the inspector describes. */
  #fetch(remote: Runtime.RemoteObject): unknown {
    if (remote.objectId === undefined) {
      return remote.unserializableValue === undefined
        ? remote.value
        : fromText(remote.type, remote.unserializableValue);
    }
    const { objectId } = remote;
    this.#session.post("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: `function (value) { ${TAKE}(value) }`,
      arguments: [{ objectId }],
    });
    const value = this.#taken;
    this.#taken = undefined;
    return value;
  }
}

function outcomeOf(failure: Error): Outcome {
  if (failure.message.includes("Execution was terminated")) return { ok: false, terminated: true };
  return { ok: false, error: failure };
}

/** `-0`, `NaN`, `Infinity`, `10n`: primitives that JSON cannot carry. */
function fromText(type: string, text: string): unknown {
  return type === "bigint" ? BigInt(text.slice(0, -1)) : Number(text);
}
