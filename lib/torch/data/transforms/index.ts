// Exports `data.transforms`: torchvision's transforms of image tensors, under its names
// (`torchvision.transforms.v2`).
export { type AffineOptions, RandomAffine, type RandomAffineOptions, RandomRotation } from "./affine.ts";
export { type AugmentOptions, RandAugment, TrivialAugmentWide } from "./augment.ts";
export { ColorJitter, type ColorJitterOptions, Grayscale } from "./color.ts";
export { Compose, type ImageFunction, RandomApply } from "./compose.ts";
export {
  CenterCrop,
  Pad,
  type PaddingMode,
  type PadOptions,
  RandomCrop,
  type RandomCropOptions,
} from "./crop.ts";
export { ToDtype, type ToDtypeOptions, ToTensor } from "./dtype.ts";
export { GaussianBlur } from "./filters.ts";
export { RandomHorizontalFlip, RandomVerticalFlip } from "./flip.ts";
export {
  RandomAdjustSharpness,
  RandomAutocontrast,
  RandomEqualize,
  RandomGrayscale,
  RandomInvert,
  RandomPosterize,
  RandomSolarize,
} from "./random_tones.ts";
export { RandomResizedCrop, type RandomResizedCropOptions, Resize, type ResizeOptions } from "./resize.ts";
export { type ImageSize, Transform } from "./transform.ts";
export { Normalize, RandomErasing, type RandomErasingOptions } from "./values.ts";
