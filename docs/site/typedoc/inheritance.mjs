// A class's page shows what the class itself has, and names the documented class that has the rest: a layer's page does not
// repeat the forty members of `nn.Module`.
import { ReferenceType, ReflectionKind } from "typedoc";

/** `[RULE]`, `[PARAMETER]`: symbols of the library's own, for the compiler only. */
const HIDDEN_MEMBER = /^\[[A-Z_]+\]$/;
/** Documented with all that they have, inherited or not. */
const WHOLE = ["nn.Module", "Tensor"];

/** @param {import("typedoc").ProjectReflection} project */
export function linkInherited(project) {
  removeHidden(project);
  const classes = project.getReflectionsByKind(ReflectionKind.ClassOrInterface);
  const whole = WHOLE.map((name) => typeNamed(project, name));
  const homes = new Map();
  const settle = (reflection, member) => {
    const place = placeOf(member);
    if (place !== null && !homes.has(place)) homes.set(place, reflection);
  };
  for (const reflection of whole) {
    for (const member of reflection.children) {
      settle(reflection, member);
      delete member.inheritedFrom;
    }
  }
  for (const reflection of classes.filter((one) => one.kindOf(ReflectionKind.Class)))
    for (const member of reflection.children ?? []) if (!member.inheritedFrom) settle(reflection, member);

  for (const reflection of classes) {
    const bases = new Set();
    for (const member of [...(reflection.children ?? [])]) {
      const home = homes.get(placeOf(member));
      if (member.kindOf(ReflectionKind.Constructor)) delete member.inheritedFrom;
      if (home === undefined || home === reflection) continue;
      // Options are read as a whole.
      const isShort = member.inheritedFrom && reflection.kindOf(ReflectionKind.Class);
      if (!isShort && !whole.includes(home)) continue;
      bases.add(home);
      project.removeReflection(member);
    }
    if (bases.size > 0) extendBy(project, reflection, bases);
  }
}

/** The class or interface of that name; a value may have the name too. */
export function typeNamed(project, name) {
  const found = project
    .getReflectionsByKind(ReflectionKind.ClassOrInterface)
    .find((reflection) => reflection.getFullName() === name);
  if (found === undefined)
    throw new Error(`The API has no class or interface ${name}: see docs/site/typedoc.`);
  return found;
}

/** `lib/torch/nn/module/base.ts:31`: who has it from another has the same place. */
function placeOf({ sources }) {
  const [source] = sources ?? [];
  return source === undefined ? null : `${source.fullFileName}:${source.line}`;
}

function removeHidden(project) {
  for (const reflection of Object.values(project.reflections)) {
    const isLoss =
      reflection.parent?.kindOf(ReflectionKind.Function) && /^(?:compute|rules)$/.test(reflection.name);
    if (isLoss || HIDDEN_MEMBER.test(reflection.name)) project.removeReflection(reflection);
  }
}

/** In place of classes between the two that cells cannot name. */
function extendBy(project, reflection, bases) {
  const isNamed = (type) =>
    type.reflection !== undefined || type.symbolId?.fileName.includes("/node_modules/");
  const kept = (reflection.extendedTypes ?? []).filter(
    (type) => isNamed(type) && !bases.has(type.reflection),
  );
  const added = [...bases].map((base) => ReferenceType.createResolvedReference(base.name, base, project));
  reflection.extendedTypes = [...kept, ...added];
}
