const open = (name: string) => ({ name, [Symbol.dispose]() {} });
using file = open("file");
await using stream = { async [Symbol.asyncDispose]() {} };
const size = file.name.length;
enum Mode {
  Read,
}
function read() {
  using lock = open("lock");
  return lock.name + size;
}
{
  using inner = open("inner");
  const size = inner.name;
}
read();
