// A dataset in a module, for loaders with workers: pictures of a circle, drawn when they are asked for, and its radius.
import { torch } from "mpslab";

const SIZE = 64;

export default (length: number) => ({
  length,
  get(index: number): [picture: torch.Tensor, radius: number] {
    const radius = 4 + (index % 24);
    const pixels = Float32Array.from({ length: SIZE * SIZE }, (_, at) => {
      const [row, column] = [Math.floor(at / SIZE) - SIZE / 2, (at % SIZE) - SIZE / 2];
      return Math.abs(Math.hypot(row, column) - radius) < 1.5 ? 1 : 0;
    });
    return [torch.fromTypedArray(pixels, [1, SIZE, SIZE]), radius];
  },
});
