// Finds the object behind a proxy without running its traps, by asking V8's inspector. Node's `inspect` does the same
// with internal functions.
import { Session, type Runtime } from "node:inspector";
import { types } from "node:util";
import { isObject } from "../objects.ts";

const ASKED = "__mpslab_proxy";

/** The object behind one proxy or several; null for a revoked proxy. Any other object is returned itself. */
export function behindProxies(value: object): object | null {
  if (!types.isProxy(value)) return value;
  // The session is connected only for this question: while one is open, V8 sends it events, which takes time.
  const session = new Session();
  session.connect();
  try {
    let at: unknown = value;
    while (types.isProxy(at)) at = targetOf(session, at);
    return isObject(at) ? at : null;
  } finally {
    session.disconnect();
  }
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
