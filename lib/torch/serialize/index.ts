// Exports the `serialize` namespace: `import { serialize } from "mpslab"`.
export { load, save } from "./files.ts";
export { type Metadata, SafetensorsError, type TensorDescription } from "./header.ts";
export {
  type LoadOptions,
  loadSafetensors,
  readSafetensorsHeader,
  type SafetensorsContents,
  type SaveOptions,
  saveSafetensors,
} from "./safetensors.ts";
export { TorchFileError } from "./torch_error.ts";
export { loadTorch } from "./torch_file.ts";
export { saveTorch } from "./torch_writer.ts";
