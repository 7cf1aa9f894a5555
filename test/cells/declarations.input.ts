// Everything that a cell can declare becomes a `let`, so that a later cell can declare it anew.
const rate: number = 1e-3;
let { step, decay: [first = 1] } = { step: 2, decay: [] as number[] };
var total = 0,
  unset: string | undefined;

/** Moved to the top with its comment, as JavaScript hoists it. */
function scale(by: number): number {
  return by === 0 ? total : scale(by - 1);
}

async function* stream() {
  yield rate;
}

class Model<T> {
  static made = 0;
  constructor(
    private readonly hidden: T,
    readonly depth = 2,
  ) {
    Model.made++;
  }
  get width(): T {
    return this.hidden;
  }
}

enum Phase {
  Warm,
  Steady = "steady",
}

namespace Space {
  export const origin = [0, 0];
}

interface Shape {
  width: number;
}
type Name = keyof Shape;

export const exported = new Model(3).width;
for (var i = 0, n: number; i < 2; i++) {
  var last = i;
}
