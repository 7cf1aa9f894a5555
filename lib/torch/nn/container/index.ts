// The containers.
export { ModuleDict, ModuleList, ParameterDict, ParameterList } from "./collections.ts";
export { Sequential } from "./sequential.ts";
