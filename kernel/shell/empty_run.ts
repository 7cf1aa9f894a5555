// An empty run request, into which each caller puts what is to run.
import type { Header } from "../protocol/messages.ts";
import type { ExecuteRequest } from "../protocol/requests.ts";

export function emptyRun({ code, storeHistory, silent }: ExecuteRequest, header: Header, count: number) {
  return {
    type: "run" as const,
    cell: header.msg_id,
    continues: false,
    subshell: header.subshell_id ?? null,
    count,
    storeHistory,
    silent,
    text: code,
    declares: [],
    variables: [],
    epochLoops: 0,
    imports: [],
    importedNames: [],
    names: [],
    flush: false,
    userExpressions: {},
  };
}
