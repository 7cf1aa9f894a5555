// Puts the mark of `%%python` in the place of what the checker says of the same name: `// TODO: python line 3: there is no
// torch.foo here` says why TypeScript does not know it. Knows the form of the comment, and nothing of the converter.

interface Said {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

const MARK = /^\s*\/\/ TODO: python line \d+: (.*)$/;

/** The problems with what a mark above their line says of the name at their place, each mark once. */
export function saidByMarks<Problem extends Said>(text: string, problems: readonly Problem[]): Problem[] {
  const used = new Set<string>();
  return problems.flatMap((problem) => {
    const name = text.slice(problem.start, problem.end);
    const sentence = marksAbove(text, problem.start).find((mark) => namedBy(mark) === name);
    if (sentence === undefined) return [problem];
    const key = `${text.slice(0, problem.start).split("\n").length} ${sentence}`;
    if (used.has(key)) return [];
    used.add(key);
    return [{ ...problem, message: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.` }];
  });
}

/** The last part of what a mark says is missing: `there is no torch.foo here`, `nn.Linear has no foo here` */
function namedBy(mark: string): string | undefined {
  return /^(?:there is no|\S+ has no) (?:[\w.]+\.)?(\w+) here/.exec(mark)?.[1];
}

function marksAbove(text: string, offset: number): string[] {
  const lines = text.slice(0, offset).split("\n").slice(0, -1);
  const marks: string[] = [];
  for (const line of lines.toReversed()) {
    const mark = MARK.exec(line)?.[1];
    if (mark === undefined) break;
    marks.unshift(mark);
  }
  return marks;
}
