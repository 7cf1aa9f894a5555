// Writes signatures as a reader needs them. What computes shapes and errors in types is left out: the compiler works with
// it, and says its result with each cell.
//
//   add<const A extends Tensor, const B extends Scalar | Tensor, Problem = ElementwiseProblem<"add", A, B>>(
//     input: A, other: B & Unless<Problem>): TensorOf<BroadcastShape<A, B>, Promoted<A, B>, CommonDevice<A, B>>
//   ->
//   add(input: Tensor, other: Scalar | Tensor): Tensor
import { IntersectionType, IntrinsicType, ReferenceType, UnionType } from "typedoc";
import { typeNamed } from "./inheritance.mjs";

/** Types of `lib/torch/types` that are a tensor, whatever else they say of it. */
const TENSORS = new Set(["Tensor", "TensorOf", "Like", "LayerOutput", "Shown"]);
/** `B & Unless<Problem>` is `B` where there is no problem. */
const CONDITIONS = new Set(["Unless", "UnlessAt"]);

/** @param {import("typedoc").ProjectReflection} project */
export function writePlainTypes(project) {
  const write = plainTypes(project, typeNamed(project, "Tensor"));
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.isSignature?.()) plainSignature(reflection, write);
    else if (reflection.type) reflection.type = write(reflection.type, new Map());
  }
}

/** Whether its type parameters serve the compiler only: they carry shapes, or the error of shapes that do not fit. */
const carriesShapes = ({ typeParameters = [], type }) =>
  typeParameters.some(({ name }) => name === "Problem" || name === "A") ||
  (isOurs(type) && TENSORS.has(type.name));

function plainSignature(signature, write) {
  const values = new Map();
  if (carriesShapes(signature)) {
    for (const parameter of signature.typeParameters ?? [])
      values.set(
        parameter.name,
        parameter.type ?? (parameter.name === "A" ? "tensor" : new IntrinsicType("any")),
      );
    delete signature.typeParameters;
    signature.parameters = signature.parameters?.filter(
      ({ name, type }) => name !== "this" && !(name === "others" && type?.type === "tuple"),
    );
  }
  for (const parameter of signature.parameters ?? [])
    if (parameter.type) parameter.type = write(parameter.type, values);
  if (signature.type) signature.type = write(signature.type, values);
}

const isOurs = (type) =>
  type?.type === "reference" && !type.reflection && !type.refersToTypeParameter && !type.externalUrl;

function plainTypes(project, tensor) {
  const tensorType = () => ReferenceType.createResolvedReference("Tensor", tensor, project);

  /** @param values what stands for each type parameter of the signature */
  function write(type, values) {
    switch (type.type) {
      case "reference":
        return reference(type, values);
      case "intersection": {
        const types = type.types
          .filter(({ name }) => !CONDITIONS.has(name))
          .map((part) => write(part, values));
        return types.length === 1 ? types[0] : new IntersectionType(types);
      }
      case "union":
        return new UnionType(unique(type.types.map((part) => write(part, values))));
      case "array":
      case "optional":
      case "rest":
        type.elementType = write(type.elementType, values);
        return type;
      case "tuple":
        type.elements = type.elements.map((element) => write(element, values));
        return type;
      case "namedTupleMember":
        type.element = write(type.element, values);
        return type;
      case "reflection":
        literal(type.declaration, values);
        return type;
      default:
        return type;
    }
  }

  /** `{ dim?: Dim }`, `(input: A) => A` */
  function literal({ children = [], signatures = [] }, values) {
    for (const child of children) if (child.type) child.type = write(child.type, values);
    for (const { parameters = [] } of signatures)
      for (const parameter of parameters) if (parameter.type) parameter.type = write(parameter.type, values);
    for (const signature of signatures) if (signature.type) signature.type = write(signature.type, values);
  }

  function reference(type, values) {
    const value = values.get(type.name);
    if (value === "tensor") return tensorType();
    if (value !== undefined) return write(value, new Map());
    if (type.name === "UnlessAny") return write(type.typeArguments[1], values);
    if (type.name === "ValuesAndIndicesOf")
      return ReferenceType.createBrokenReference("ValuesAndIndices", project);
    if (TENSORS.has(type.name) && !type.refersToTypeParameter) return tensorType();
    type.typeArguments = type.typeArguments?.map((argument) => write(argument, values));
    return type;
  }
  return write;
}

/** Each type once, as it is written. */
function unique(types) {
  const written = new Set();
  return types.filter((type) => {
    const text = type.toString();
    return !written.has(text) && written.add(text);
  });
}
