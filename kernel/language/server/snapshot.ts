// Opens the compiler's view of our project at one moment, through its own protocol (`typescript/unstable`). The exact
// version of TypeScript pins that protocol.
import type { LanguageServer } from "./server.ts";

/** A request about the snapshot's project. */
export type Ask = <T>(method: string, parameters: object) => Promise<T>;

export async function withSnapshot<T>(server: LanguageServer, use: (ask: Ask) => Promise<T>): Promise<T> {
  const { snapshot, projects } = await server.compilerRequest<{
    snapshot: number;
    projects: readonly { id: string; configFileName: string }[];
  }>("updateSnapshot", {});
  const project = projects.find(({ configFileName }) =>
    configFileName.endsWith(`/${server.configurationName}`),
  )?.id;
  try {
    return await use((method, parameters) =>
      server.compilerRequest(method, { snapshot, project, ...parameters }),
    );
  } finally {
    server.compilerRequest("release", { snapshot }).catch(() => undefined);
  }
}
