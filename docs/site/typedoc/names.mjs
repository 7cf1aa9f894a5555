// Lists every public name with what it is for and the address of its page.
import { ReflectionKind } from "typedoc";

/** As `docs/site/pages/reference.ts` reads them. */
export function publicNames(project, router) {
  const names = [];
  const list = (parent, namespace) => {
    for (const child of parent.children ?? []) {
      const kind = kindOf(child);
      if (kind === null) continue;
      names.push({
        namespace,
        name: child.name,
        kind,
        summary: summaryOf(child),
        url: router.getFullUrl(child),
      });
      const inner = namespace === "" ? child.name : `${namespace}.${child.name}`;
      if (kind === "namespace" || (child.name === "Tensor" && kind === "type")) list(child, inner);
    }
  };
  list(project, "");
  return names;
}

function kindOf(reflection) {
  if (reflection.kindOf(ReflectionKind.SomeModule)) return "namespace";
  if (reflection.kindOf(ReflectionKind.Class)) return "class";
  if (reflection.kindOf(ReflectionKind.FunctionOrMethod)) return "function";
  if (reflection.kindOf([ReflectionKind.Interface, ReflectionKind.TypeAlias])) return "type";
  if (reflection.kindOf([ReflectionKind.Variable, ReflectionKind.Property, ReflectionKind.Accessor]))
    return "variable";
  return null;
}

/** The first sentence. */
function summaryOf(reflection) {
  const comment =
    reflection.comment ?? reflection.signatures?.[0]?.comment ?? reflection.getSignature?.comment;
  const text = comment?.summary.map((part) => part.text).join("") ?? "";
  return /^[^]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
