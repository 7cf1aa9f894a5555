// Holds the symptoms of the runbook's tables as data: likely cause, first question, first fix, and threshold. If the
// evidence points to another cause than the runbook's, or to none, `CAUSES` has the texts for that.

export interface Cause {
  readonly hypothesis: string;
  readonly question: string;
  readonly fix: string;
}

export interface Symptom extends Cause {
  /** How to get the evidence if there is none. */
  readonly needs: string;
}

export const SYMPTOMS = {
  "fast start then cliff": {
    hypothesis: "cache pressure",
    question: "Did memory run short when the epochs became slow?",
    fix: "Lower the batch, and flush at every epoch.",
    needs: "run an epoch loop of seven epochs or more",
  },
  "one slow layer": {
    hypothesis: "a gap in the kernels of the device",
    question: "Which operator leaves the device, or takes most of the step?",
    fix: "Swap the operator for one that the device has; profile again.",
    needs: "give trace: lab.trace(step), or operators: [{ name, ms }] of a profile",
  },
  "loss drift": {
    hypothesis: "the dtype of a reduction",
    question: "Which group of tensors leaves its tolerance first?",
    fix: "Align the dtypes, or accept the platform's delta in a reviewed table.",
    needs: "give parity: lab.parity({ build, devices })",
  },
  "speedup near 1": {
    hypothesis: "the device is idle: not the real device, small work, or hidden synchronization",
    question: "Where does the host wait, and on which device do the tensors lie?",
    fix: "Take item(), cpu() and printing out of the loop, and raise the batch.",
    needs: "give comparison: lab.compare(step), on the CPU and on the device",
  },
  "out of memory on the first batch": {
    hypothesis: "the work is too large for the device",
    question: "Is the batch or the sequence length too large?",
    fix: "Shrink the batch first; leave allocator variables alone.",
    needs: "give sweep: await lab.sweep({ setup })",
  },
  "near the memory limit": {
    hypothesis: "the working set is as large as what the device recommends",
    question: "Is the working set near the recommended limit?",
    fix: "Reduce the work before touching the allocator's variables.",
    needs: "run an epoch loop on a device with a recommended limit",
  },
  "growing memory": {
    hypothesis: "retained tensors: a chain of graphs, or a list that keeps losses",
    question: "Who still holds the tensors of earlier steps?",
    fix: "Keep numbers instead of tensors: item() or detach(), once an epoch.",
    needs: "run an epoch loop of four epochs or more, or give sweep: await lab.sweep({ setup })",
  },
  "noisy steps": {
    hypothesis: "operators or synchronization send work back to the CPU, or other programs do",
    question: "Are unsupported operators or logging bouncing work back to the CPU?",
    fix: "Check fallbacks and logging: lab.trace(step), lab.syncs(step); close other programs.",
    needs: "run an epoch loop of seven epochs or more, or give sweep: await lab.sweep({ setup })",
  },
  "several processes": {
    hypothesis: "processes share one device and one memory",
    question: "Which other session or worker uses the device now?",
    fix: "Go down to one process with a larger batch, or move one to a remote node.",
    needs: "ps did not answer: look at the system's monitor",
  },
} as const satisfies Record<string, Symptom>;

export type SymptomName = keyof typeof SYMPTOMS;

/**
 * Causes that the runbook does not list, by what the evidence shows. Some are `not known`: then no record names a
 * cause.
 */
export const CAUSES = {
  "slow without memory": {
    hypothesis: "not known: the epochs do more work, and neither swap nor memory pressure rose",
    question: "What does a late epoch do that an early one does not, and what else runs on this machine?",
    fix: "Compare a step early and late: lab.trace(step); close other programs.",
  },
  "one operator": {
    hypothesis: "one operator takes most of the step",
    question: "Does the step need that operator, with these shapes and this dtype?",
    fix: "Call it less often or on less, or swap it; profile again.",
  },
  "other drift": {
    hypothesis: "not known: neither reductions nor norm statistics leave their tolerance",
    question: "Which tensor leaves its tolerance first?",
    fix: "Find the first operator that differs: lab.shadow(step).",
  },
  "not faster": {
    hypothesis: "not known: neither waits of the host nor an idle device were seen",
    question: "Where does the host wait, and how busy is the device?",
    fix: "Measure both: lab.syncs(step), lab.utilization(step).",
  },
  "heap grows": {
    hypothesis: "JavaScript's own values are kept: a list, a Map or a closure that grows; tensors are flat",
    question: "Which list, Map or closure has more in it after every epoch?",
    fix: "Keep the last entries alone, or write them to a file.",
  },
  "blocks grow": {
    hypothesis: "the allocator needs new blocks though tensors are flat: batches of many sizes",
    question: "Do shapes differ from step to step?",
    fix: "Pad batches to a few sizes.",
  },
  "process grows": {
    hypothesis: "not known: tensors, blocks and V8's heap are flat, and native code keeps no record",
    question: "Which package with native code, worker or file buffer does an epoch use?",
    fix: "Leave parts of the epoch out until the process stays flat.",
  },
  "swinging windows": {
    hypothesis: "not known: the steps wait for no device",
    question: "Does the step's work differ from call to call, and what else runs on this machine?",
    fix: "Make each step do the same work, close other programs, and sweep again.",
  },
} as const satisfies Record<string, Cause>;

/** Thresholds from which a measurement is a symptom. */
export const LIMITS = {
  /** Minimum number of steady epochs; the first third is compared with the last. */
  epochs: 6,
  /** Ratio of the last third of a loop's steady epochs to the first third. */
  cliff: 1.5,
  /** Share of a profile that one operator takes. */
  slowOperator: 0.5,
  /** The least difference in milliseconds by which late epochs must be slower; a busy machine explains less. */
  cliffMs: 5,
  /** Less swap than this may belong to another program. */
  swapBytes: 16 * 2 ** 20,
  /** The share of its time in which the host waits for the device inside operators. */
  waiting: 0.1,
  /** A speedup within these bounds is near 1. */
  speedup: [0.8, 1.25],
  /** Peak divided by the recommended limit. */
  nearLimit: 0.9,
  /** Half the interquartile range divided by the median. */
  noise: 0.1,
} as const;
