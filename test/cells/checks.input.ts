const twice = (x: number) => x * 2;
const point = (x: number) => ({ x });
const nested = (a: number) => async (b: number) => await Promise.resolve(a + b);
let count = 0;
do count++;
while (count < 3);
while (count < 5) count = twice(count);
outer: for (const a of [1, 2]) for (const b of [1, 2]) if (a === b) continue outer;
for (const key in point(1)) switch (key) { case "x": count++; }
for await (const value of [nested(1)(2)]) count += value;
class Counter {
  static {
    count++;
  }
  #n = 0;
  set n(n: number) {
    this.#n = n;
  }
}
if (count > 100) throw "too many";
if (count > 200) throw new Error("far too many");
count;
