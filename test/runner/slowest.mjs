// A reporter of vitest: the twenty dearest test files, and the seconds of each suite, after a run.

const FILES = 20;
/** Projects that run files which others run too. */
const REPEATS = /Metal|^on /;

/** @param {readonly { file: string, seconds: number }[]} times */
export function slowestTable(times) {
  const bySuite = new Map();
  for (const { file, seconds } of times) {
    const suite = suiteOf(file);
    bySuite.set(suite, (bySuite.get(suite) ?? 0) + seconds);
  }
  const all = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const dearest = times.toSorted((one, other) => other.seconds - one.seconds).slice(0, FILES);
  const suites = [...bySuite].toSorted(([, one], [, other]) => other - one);
  return [
    `The ${dearest.length} dearest of ${times.length} files, in seconds with their imports (all: ${Math.round(all)}):`,
    ...dearest.map(({ file, seconds }) => row(seconds, file)),
    "The same by suite:",
    ...suites.map(([suite, seconds]) => row(seconds, suite)),
    "",
  ].join("\n");
}

const row = (seconds, name) => `${seconds.toFixed(1).padStart(8)}  ${name}`;

/** `test/kernel/cell` of a file below it: two folders where there are two. */
function suiteOf(file) {
  const [project, name] = file.includes(": ") ? file.split(": ") : [null, file];
  const folders = name.split("/").slice(0, -1).slice(0, 3);
  const suite = folders.length < 2 ? name : folders.join("/");
  return project === null ? suite : `${project}: ${suite}`;
}

export default class Slowest {
  onTestRunEnd(modules) {
    const times = modules.map((module) => {
      const { collectDuration, duration, setupDuration } = module.diagnostic();
      const { name } = module.project;
      return {
        file: REPEATS.test(name) ? `${name}: ${module.relativeModuleId}` : module.relativeModuleId,
        seconds: (collectDuration + duration + setupDuration) / 1000,
      };
    });
    if (times.length > 0) process.stdout.write(`\n${slowestTable(times)}`);
  }
}
