// Finds what a proxy stands for without running its traps, as Node's `inspect` does from inside: V8's inspector knows it.
import { Session, type Runtime } from "node:inspector";
import { types } from "node:util";
import { withOriginalBuiltins } from "../primordials.ts";
import { isObject } from "../objects.ts";

const ASKED = "__mpslab_proxy";

/** The object behind one proxy or several; null of one that was revoked. Any other object itself. */
export function behindProxies(value: object): object | null {
  if (!types.isProxy(value)) return value;
  return withOriginalBuiltins(() => {
    // Connected for the question only: an open session slows down what V8 tells all of them.
    const session = new Session();
    session.connect();
    try {
      let at: unknown = value;
      while (types.isProxy(at)) at = targetOf(session, at);
      return isObject(at) ? at : null;
    } finally {
      session.disconnect();
    }
  });
}

function targetOf(session: Session, proxy: unknown): unknown {
  const asked: { proxy: unknown; target?: unknown } = { proxy };
  Object.defineProperty(globalThis, ASKED, { value: asked, configurable: true });
  const remote = evaluated(session, `${ASKED}.proxy`);
  let found: Runtime.RemoteObject | undefined;
  session.post("Runtime.getProperties", { objectId: remote, ownProperties: true }, (failure, reply) => {
    if (failure !== null) return;
    found = reply.internalProperties?.find(({ name }) => name === "[[Target]]")?.value;
  });
  if (found?.objectId !== undefined) {
    session.post("Runtime.callFunctionOn", {
      objectId: evaluated(session, ASKED),
      functionDeclaration: "function (target) { this.target = target }",
      arguments: [{ objectId: found.objectId }],
    });
  }
  Reflect.deleteProperty(globalThis, ASKED);
  return asked.target;
}

function evaluated(session: Session, expression: string): string {
  let id: string | undefined;
  session.post("Runtime.evaluate", { expression, silent: true }, (failure, reply) => {
    id = failure === null ? reply.result.objectId : undefined;
  });
  return id ?? "";
}
