// Evaluates compiled cells in V8's REPL mode through the inspector, and fetches their values without letting the
// inspector keep them alive.
import { Session, type Runtime } from "node:inspector";
import { type Cell, owningCell } from "./cells.ts";

export type Outcome<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: unknown };

const TAKE = "__mpslab_take";
const CONTAINED = "__mpslab_contained";
/** V8's answers to an evaluation that was terminated: in Node 20, and in Node 22 and later. */
const TERMINATED = ["Execution was terminated", "Internal error"];
const NOTHING = (): void => {};

/** A cell's code that is being evaluated. */
export interface Evaluation {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /**
   * Call it when nobody waits for the outcome any more, because the code was unwound or goes on in the background. It
   * has no effect if there is an outcome already.
   *
   * If it is not called, the inspector answers when the promise of unwound code is collected. That answer would call
   * JavaScript during a garbage collection, which ends the process in Node 22.
   */
  abandon(): void;
}

export class Evaluator {
  readonly #session = connected();
  /**
   * Inspector sessions of cells that have ended, for later cells. There is more than one only if cells of subshells ran
   * at the same time.
   */
  readonly #idle: Session[] = [];
  #groups = 0;
  #taken: unknown;
  #contained = NOTHING;
  readonly #unwound: (cell: Cell | null) => Error;

  /** @param unwound called after the worker has unwound a cell's code without running its `finally` blocks */
  constructor(unwound: (cell: Cell | null) => Error) {
    this.#unwound = unwound;
    Object.defineProperty(globalThis, CONTAINED, { value: () => this.#contained() });
    Object.defineProperty(globalThis, TAKE, {
      value: (value: unknown) => {
        this.#taken = value;
      },
    });
  }

  /**
   * Evaluates a whole cell. `Session.post` stays on the stack until the cell's first await; the worker looks for it
   * there.
   */
  evaluate(code: string): Evaluation {
    const objectGroup = `cell-${this.#groups++}`;
    const cell = owningCell();
    const session = this.#idle.pop() ?? connected();
    let isOver = false;
    const outcome = new Promise<Outcome>((resolve) => {
      const parameters = { expression: code, replMode: true, awaitPromise: true, objectGroup };
      const settle = (failure: Error | null, reply: Runtime.EvaluateReturnType): void => {
        if (isOver) return;
        isOver = true;
        try {
          resolve(failure === null ? this.#outcome(reply, session) : this.#failed(failure, cell));
        } finally {
          // The inspector keeps every object that it returned until it is released: tensors, graphs, errors.
          session.post("Runtime.releaseObjectGroup", { objectGroup });
          this.#idle.push(session);
        }
      };
      session.post("Runtime.evaluate", parameters, (failure: Error | null, reply) =>
        settle(failure, reply as Runtime.EvaluateReturnType),
      );
    });
    const abandon = (): void => {
      if (isOver) return;
      isOver = true;
      session.disconnect();
    };
    return { outcome, abandon };
  }

  /**
   * Calls code of the user's, such as a display method or a handler, in such a way that the worker can unwind only this
   * code.
   *
   * @throws what it throws
   */
  contain<Result>(work: () => Result): Result {
    const cell = owningCell();
    let outcome: Outcome<Result> | undefined;
    this.#contained = () => {
      this.#contained = NOTHING;
      try {
        outcome = { ok: true, value: work() };
      } catch (error) {
        outcome = { ok: false, error };
      }
    };
    let failure: Error | null = null;
    this.#session.post("Runtime.evaluate", { expression: `${CONTAINED}()`, silent: true }, (error) => {
      failure = error;
    });
    outcome ??= this.#failed(failure ?? new Error("The inspector did not answer."), cell);
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  /**
   * Evaluates a short expression of our own at once, without awaiting. Returns `undefined` if it throws. The value is
   * put into an object, because the inspector would copy a primitive into its reply, even a string of a gigabyte.
   */
  peek(
    expression: string,
    options: { readonly allowSideEffects: boolean },
  ): { readonly value: unknown } | undefined {
    const objectGroup = `cell-${this.#groups++}`;
    let result: { readonly value: unknown } | undefined;
    const parameters = {
      expression: `({ value: (${expression}) })`,
      throwOnSideEffect: !options.allowSideEffects,
      objectGroup,
      silent: true,
    };
    this.#session.post(
      "Runtime.evaluate",
      parameters,
      (failure: Error | null, reply: Runtime.EvaluateReturnType) => {
        if (failure === null && !reply.exceptionDetails)
          result = this.#fetch(reply.result, this.#session) as { readonly value: unknown };
      },
    );
    this.#session.post("Runtime.releaseObjectGroup", { objectGroup });
    return result;
  }

  #failed(failure: Error, cell: Cell | null): { readonly ok: false; readonly error: unknown } {
    const terminated = TERMINATED.some((words) => failure.message.includes(words));
    return { ok: false, error: terminated ? this.#unwound(cell) : failure };
  }

  #outcome(reply: Runtime.EvaluateReturnType, session: Session): Outcome {
    const { result, exceptionDetails } = reply;
    if (!exceptionDetails) return { ok: true, value: this.#fetch(result, session) };
    const { exception, text } = exceptionDetails;
    return { ok: false, error: exception ? this.#fetch(exception, session) : new Error(text) };
  }

  /** The value itself, for the inspector's description of it. */
  #fetch(remote: Runtime.RemoteObject, session: Session): unknown {
    if (remote.objectId === undefined) {
      return remote.unserializableValue === undefined
        ? remote.value
        : fromText(remote.type, remote.unserializableValue);
    }
    const { objectId } = remote;
    session.post("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: `function (value) { ${TAKE}(value) }`,
      arguments: [{ objectId }],
    });
    const value = this.#taken;
    this.#taken = undefined;
    return value;
  }
}

function connected(): Session {
  const session = new Session();
  session.connect();
  return session;
}

/** `-0`, `NaN`, `Infinity`, `10n`: primitives that JSON cannot carry. */
function fromText(type: string, text: string): unknown {
  return type === "bigint" ? BigInt(text.slice(0, -1)) : Number(text);
}
