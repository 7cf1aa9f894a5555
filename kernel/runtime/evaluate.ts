// Evaluates compiled cells in V8's REPL mode through the inspector, and fetches their values without letting the
// inspector keep them alive.
import { Session, type Runtime } from "node:inspector";
import { type Cell, owningCell } from "./cells.ts";
import { evaluationBegins, withOriginalBuiltins } from "./primordials.ts";

export type Outcome<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: unknown };

const TAKE = "__mpslab_take";
const CONTAINED = "__mpslab_contained";
/** V8's answers to an evaluation that was terminated: in Node 20, and in Node 22 and later. */
const TERMINATED = ["Execution was terminated", "Internal error"];
const NOTHING = (): void => {};

/** A cell's code on its way. */
export interface Evaluation {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  /**
   * Nobody waits for the outcome any more: the code was unwound, or goes on in the background. Without effect where
   * there is an outcome.
   *
   * Until then the inspector answers when the collector takes the promise of unwound code. Node 22 ends the process
   * there, because the answer is a call of JavaScript during the collection.
   */
  abandon(): void;
}

export class Evaluator {
  readonly #session = connected();
  /** Sessions of cells that have ended, for the next ones. There is one more only while cells of subshells run. */
  readonly #idle: Session[] = [];
  #groups = 0;
  #taken: unknown;
  #contained = NOTHING;
  readonly #unwound: (cell: Cell | null) => Error;

  /** @param unwound called where the worker unwound code of a cell without its `finally` blocks */
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
   * The whole cell; `Session.post` stays on the stack until its first await, and the worker looks for it there.
   * `evaluationEnds` is to be called once, however it ends.
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
      evaluationBegins();
      session.post("Runtime.evaluate", parameters, (failure: Error | null, reply) =>
        withOriginalBuiltins(() => settle(failure, reply as Runtime.EvaluateReturnType)),
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
   * Calls code of the user's, so that the worker can unwind it and nothing else: how a value shows itself, a handler.
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
   * A short expression of our own, at once and without awaiting. `undefined` where it throws. The inspector would copy a
   * primitive into its reply, a text of a gigabyte too, but names the object that holds it.
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

  /** The value itself for what the inspector describes. */
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
