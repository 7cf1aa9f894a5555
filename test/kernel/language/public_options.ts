// Every public function, class and method that takes an object of options, and the options' names, read from the library's
// declarations by TypeScript's own program: what is added to the library tomorrow is in this list tomorrow.
import ts from "typescript-5";
import { libraryDeclarations } from "../../fixtures/python/names.mjs";

export interface OptionedCall {
  /** How a cell names it: `nn.Linear`, `(null! as InstanceType<typeof nn.Linear>).registerBuffer`. */
  readonly code: string;
  readonly options: ReadonlySet<string>;
  /** The options of which no declaration says what they do. */
  readonly unsaid: readonly string[];
  /** The types of its options that the library names and does not export: no page of the API reference shows them. */
  readonly hidden: readonly string[];
  readonly isOperator: boolean;
}

export function optionedCalls(): OptionedCall[] {
  const { checker, index: found } = libraryDeclarations();
  const index = found!;
  const calls: OptionedCall[] = [];
  const seen = new Set<ts.Symbol>();
  const declared = new Set<ts.Node>();
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  /** `export { type Quiz }` names a type of which a cell cannot make a value. */
  const isValue = (symbol: ts.Symbol) =>
    (resolved(symbol).flags & ts.SymbolFlags.Value) !== 0 &&
    symbol.declarations?.some(
      (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
    ) !== true;
  const typeOf = (symbol: ts.Symbol) => checker.getTypeOfSymbolAtLocation(symbol, index);
  const exported = exportedSymbols(checker, index);

  const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);
  /** The fields of an object of which every one may be missing, and none is a method that others call. */
  const optionsOf = (type: ts.Type): ts.Symbol[] =>
    partsOf(type).flatMap((part) => {
      const properties = checker.getPropertiesOfType(part);
      const isOptions = properties.every(({ flags }) => flags & ts.SymbolFlags.Optional);
      return part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) && isOptions && !part.isClass()
        ? properties
        : [];
    });
  /**
   * The types of options that a parameter's type is written with: parts of it, and what a tuple is of. Whatever a `Partial`
   * is of, and a parameter of that name takes, are options, of which some may have to be given.
   */
  const namedTypes = (type: ts.Type, isNamed: boolean, depth = MAX_DEPTH): ts.Symbol[] => {
    if (depth === 0) return [];
    const among = (types: readonly ts.Type[] = [], named = isNamed) =>
      types.flatMap((one) => namedTypes(one, named, depth - 1));
    const { aliasSymbol: alias, symbol } = type;
    const isOptions = isNamed ? isPlain(type) : optionsOf(type).length > 0;
    if (alias !== undefined)
      return isOfLibrary(alias)
        ? isOptions
          ? [alias]
          : []
        : among(type.aliasTypeArguments, isNamed || alias.name === "Partial");
    if (type.isUnionOrIntersection()) return among(type.types);
    if (checker.isTupleType(type)) return among(checker.getTypeArguments(type as ts.TypeReference));
    if (type.isTypeParameter()) return among([checker.getBaseConstraintOfType(type) ?? type]);
    const isInterface = symbol?.flags & ts.SymbolFlags.Interface && !(symbol.flags & ts.SymbolFlags.Value);
    return isInterface && isOptions && isOfLibrary(symbol) ? [symbol] : [];
  };
  /** An object with fields, and no methods. */
  const isPlain = (type: ts.Type): boolean =>
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    type.getCallSignatures().length === 0 &&
    checker.getPropertiesOfType(type).length > 0 &&
    checker
      .getPropertiesOfType(type)
      .every(({ flags }) => !(flags & ts.SymbolFlags.Method) || flags & ts.SymbolFlags.Optional);
  const isSaid = (field: ts.Symbol): boolean =>
    /^(?!Default:).*\w/s.test(ts.displayPartsToString(field.getDocumentationComment(checker)));
  const addCall = (code: string, symbol: ts.Symbol): void => {
    // A member that many classes inherit is one.
    const declaration = symbol.declarations?.[0];
    if (declaration === undefined || declared.has(declaration)) return;
    declared.add(declaration);
    const type = typeOf(symbol);
    const signatures = [...type.getConstructSignatures(), ...type.getCallSignatures()];
    const parameters = signatures.flatMap((signature) => signature.getParameters());
    const types = parameters.map(typeOf);
    const options = new Set(types.flatMap(optionsOf).map(({ name }) => name));
    // An operator says it in one of its forms, which may need a field.
    const fields = types.flatMap(partsOf).flatMap((part) => checker.getPropertiesOfType(part));
    const said = new Set(
      fields.filter((one) => options.has(one.name) && isSaid(one)).map(({ name }) => name),
    );
    const file = declaration.getSourceFile().fileName;
    const hidden = parameters
      .flatMap((parameter) => namedTypes(typeOf(parameter), NAMED.test(parameter.name)))
      .filter((one) => !exported.has(one))
      .map(({ name }) => name);
    if (options.size > 0 && !file.includes("node_modules"))
      calls.push({
        code,
        options,
        unsaid: [...options].filter((name) => !said.has(name)),
        hidden: [...new Set(hidden)],
        isOperator: file.includes("ops.generated"),
      });
  };
  const visit = (name: string, symbol: ts.Symbol): void => {
    if (seen.has(symbol) || /(?:^|\.)[_#]/.test(name)) return;
    seen.add(symbol);
    addCall(name, symbol);
    if (symbol.flags & ts.SymbolFlags.Class)
      for (const member of checker.getDeclaredTypeOfSymbol(symbol).getProperties()) {
        const isHidden =
          /^[_#]/.test(member.name) ||
          (ts.getCombinedModifierFlags(member.declarations![0]!) &
            (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !==
            0;
        if (!isHidden && !seen.has(member) && /^\w+$/.test(member.name)) {
          seen.add(member);
          addCall(`(null! as InstanceType<typeof ${name}>).${member.name}`, member);
        }
      }
    if (symbol.flags & ts.SymbolFlags.ValueModule)
      for (const member of checker.getExportsOfModule(symbol).filter(isValue))
        visit(`${name}.${member.name}`, resolved(member));
    else if (symbol.flags & ts.SymbolFlags.Variable)
      for (const member of typeOf(symbol).getProperties()) visit(`${name}.${member.name}`, member);
  };
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(index)!))
    if (isValue(symbol)) visit(symbol.name, resolved(symbol));
  return calls;
}

/** The names of parameters that take options and nothing else. */
const NAMED = /^_?(?:options|given)$/;
/** How deep a type is followed. */
const MAX_DEPTH = 5;

const isOfLibrary = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((one) => !one.getSourceFile().fileName.includes("node_modules"));

/** Everything that a name reaches from the library's entry: values, types, and those in namespaces. */
function exportedSymbols(checker: ts.TypeChecker, index: ts.SourceFile): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  const add = (symbol: ts.Symbol): void => {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (found.has(own)) return;
    found.add(own);
    if (own.flags & (ts.SymbolFlags.ValueModule | ts.SymbolFlags.NamespaceModule))
      checker.getExportsOfModule(own).forEach(add);
  };
  add(checker.getSymbolAtLocation(index)!);
  return found;
}
