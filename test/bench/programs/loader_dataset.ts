// MNIST with augmentation as a module that a loader's workers load: crops, rotations, numbers of 0 to 1, normalized.
import { data } from "mpslab";

export default function augmentedMnist(train: boolean) {
  const { Compose, Normalize, RandomCrop, RandomRotation, ToDtype } = data.transforms;
  const { images, labels } = data.mnist({ train });
  const transform = new Compose([
    new RandomCrop(28, { padding: 2 }),
    new RandomRotation(10),
    new ToDtype("float32", { scale: true }),
    new Normalize([0.1307], [0.3081]),
  ]);
  return new data.TransformedDataset(new data.TensorDataset(images.unsqueeze(1), labels), transform);
}
