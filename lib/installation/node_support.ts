// Decides whether mpslab runs under this Node. The rules are part of set-up, in plain JavaScript outside dist/, because
// set-up runs before anything is compiled. That file is found through the package's folder.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "./package.ts";

export interface NodeSupport {
  readonly ok: boolean;
  /** Completes the sentence "Node 22.14.0 ..."; null if there is nothing to say. */
  readonly text: string | null;
}

export async function nodeSupport(version: string = process.versions.node): Promise<NodeSupport> {
  const file = pathToFileURL(path.join(PACKAGE_ROOT, "native", "setup", "node_support.mjs"));
  const setUp = (await import(file.href)) as { nodeSupport(version: string): NodeSupport };
  return setUp.nodeSupport(version);
}

/** `Node 18.20.8 is not supported: install Node 24, or 20.19 or newer of 20`; null for a Node that runs mpslab. */
export async function nodeRefusal(): Promise<string | null> {
  const { ok, text } = await nodeSupport();
  return ok ? null : `Node ${process.versions.node} ${text}`;
}
