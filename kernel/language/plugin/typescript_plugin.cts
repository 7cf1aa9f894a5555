// A plugin of TypeScript's language service, for files outside of notebooks: `"plugins": [{ "name": "mpslab" }]` in a
// tsconfig makes operators between tensors errors in an editor, each with a fix. TypeScript 5 and 6 load plugins;
// TypeScript 7 has no plugins; `mpslab check` reports the same errors there. It is CommonJS, as the service requires;
// package.json names it as `main`, which nothing else reads.
import type ts from "typescript-5";
import METHODS = require("../advice/operator_methods.json");

/** Beyond the numbers of TypeScript's own errors. */
const CODE = 990_365;
const FIX = "mpslabTensorOperator";
const TENSOR_FILE = /\/torch\/types\/tensor\.(?:d\.)?ts$/;

interface Found {
  readonly node: ts.Expression;
  readonly message: string;
  /** The code that was meant; null if it is not known. */
  readonly text: string | null;
}

function init({ typescript }: { typescript: typeof ts }): ts.server.PluginModule {
  const create = ({ languageService }: ts.server.PluginCreateInfo): ts.LanguageService => {
    const found = (file: string): readonly Found[] => {
      const program = languageService.getProgram();
      const source = program?.getSourceFile(file);
      return program === undefined || source === undefined ? [] : operatorsIn(typescript, program, source);
    };
    const placeOf = ({ node }: Found) => ({ start: node.getStart(), length: node.getWidth() });
    return {
      ...languageService,
      getSemanticDiagnostics: (file) => [
        ...languageService.getSemanticDiagnostics(file),
        ...found(file).map((one) => ({
          ...placeOf(one),
          file: one.node.getSourceFile(),
          code: CODE,
          source: "mpslab",
          category: typescript.DiagnosticCategory.Error,
          messageText: one.message,
        })),
      ],
      getCodeFixesAtPosition: (file, start, end, codes, format, preferences) => [
        ...languageService.getCodeFixesAtPosition(file, start, end, codes, format, preferences),
        ...found(file).flatMap((one) => {
          const span = placeOf(one);
          if (one.text === null || !codes.includes(CODE) || span.start !== start) return [];
          const changes = [{ fileName: file, textChanges: [{ span, newText: one.text }] }];
          return [{ fixName: FIX, description: `Write ${one.text}`, changes }];
        }),
      ],
    };
  };
  return { create };
}

function operatorsIn(typescript: typeof ts, program: ts.Program, source: ts.SourceFile): readonly Found[] {
  const checker = program.getTypeChecker();
  const found: Found[] = [];
  const isOne = (type: ts.Type): boolean => {
    if (type.isUnion()) return type.types.every(isOne);
    if (type.isIntersection()) return type.types.some(isOne);
    const declared = type.symbol?.declarations ?? [];
    if (
      type.symbol?.name === "Tensor" &&
      declared.some((one) => TENSOR_FILE.test(one.getSourceFile().fileName))
    )
      return true;
    return (type.isClassOrInterface() ? checker.getBaseTypes(type) : []).some(isOne);
  };
  const isTensor = (node: ts.Expression) => isOne(checker.getTypeAtLocation(node));
  const isText = (node: ts.Expression) =>
    (checker.getTypeAtLocation(node).flags & typescript.TypeFlags.StringLike) !== 0;
  const isNothing = (node: ts.Expression) =>
    node.kind === typescript.SyntaxKind.NullKeyword || node.getText() === "undefined";
  const visit = (node: ts.Node): void => {
    if (typescript.isBinaryExpression(node)) {
      const { left, right } = node;
      const symbol = node.operatorToken.getText();
      const asked = Object.hasOwn(METHODS, symbol) && !isNothing(left) && !isNothing(right);
      if (
        asked &&
        (isTensor(left) || isTensor(right)) &&
        !(symbol === "+" && (isText(left) || isText(right)))
      ) {
        const method = METHODS[symbol as keyof typeof METHODS];
        const text = isTensor(left) ? `${object(left)}.${method}(${right.getText()})` : null;
        found.push({ node, message: sentence(symbol, text), text });
      }
    } else if (typescript.isPrefixUnaryExpression(node) && isTensor(node.operand)) {
      const symbol = typescript.tokenToString(node.operator) ?? "";
      const method = { "-": "neg", "~": "bitwiseNot" }[symbol];
      const text = method === undefined ? null : `${object(node.operand)}.${method}()`;
      if ("-+~".includes(symbol)) found.push({ node, message: sentence(symbol, text), text });
    }
    typescript.forEachChild(node, visit);
  };
  const object = (node: ts.Expression): string =>
    typescript.isLeftHandSideExpression(node) ? node.getText() : `(${node.getText()})`;
  visit(source);
  return found;
}

function sentence(symbol: string, text: string | null): string {
  const instead = text === null ? "" : `: write ${text}`;
  const identity = /^[!=]=/.test(symbol) ? ", and Object.is(a, b) asks whether both are one" : "";
  return `A tensor has no operator ${symbol}${identity}${instead}.`;
}

export = init;
