// What `serialize` is to a cell: `import { serialize } from "mpslab"`.
export { type Metadata, SafetensorsError, type TensorDescription } from "./header.ts";
export {
  type LoadOptions,
  loadSafetensors,
  readSafetensorsHeader,
  type SafetensorsContents,
  type SaveOptions,
  saveSafetensors,
} from "./safetensors.ts";
