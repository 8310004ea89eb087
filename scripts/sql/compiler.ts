/**
 * The sources as the compiler sees them: syntax trees, symbols and types. The only file that uses TypeScript's API,
 * which is unstable: an upgrade of the exact version in package.json may need changes here.
 */
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment as isShorthand,
  isVariableDeclaration,
} from 'typescript/unstable/ast';
import type { CallExpression, Node, SourceFile } from 'typescript/unstable/ast';
import { API, type Checker, type Symbol, SymbolFlags, type Type } from 'typescript/unstable/sync';

export interface CompiledSources {
  readonly checker: Checker;
  readonly files: readonly SourceFile[];
  typeOf(node: Node): Type;
  /** The declaration of an identifier; for an import, the imported one. */
  symbolOf(node: Node): Symbol | undefined;
  /** Where an identifier is declared. */
  declarationOf(node: Node): Node | undefined;
  /** Every call of a named function. */
  callsOf(declaration: Node): readonly CallExpression[];
  /** Whether the called method is declared in a file whose path ends with this. */
  isDeclaredIn(call: CallExpression, ...paths: readonly string[]): boolean;
  /** `server/src/app/app.ts:12`. */
  placeOf(node: Node): string;
  pathOf(node: Node): string;
  close(): void;
}

/** Reads the project of a `tsconfig.json` and returns the files that `isWanted` accepts; paths are relative to `root`. */
export function openSources(config: string, root: string, isWanted: (path: string) => boolean): CompiledSources {
  const api = new API({ cwd: root });
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) throw new Error(`TypeScript cannot read ${config}.`);
  const { checker, program } = project;
  const pathOf = (node: Node): string => node.getSourceFile().fileName.slice(root.length + 1);
  const files = project.rootFiles
    .filter((name) => isWanted(name.slice(root.length + 1)))
    .flatMap((name) => program.getSourceFile(name) ?? []);

  const types = new Map<Node, Type>();
  const typeOf = (node: Node): Type => {
    const type = types.get(node) ?? checker.getTypeAtLocation(node) ?? checker.getUnknownType();
    types.set(node, type);
    return type;
  };
  const symbols = new Map<Node, Symbol | undefined>();
  const symbolOf = (node: Node): Symbol | undefined => {
    if (symbols.has(node)) return symbols.get(node);
    const symbol = checker.getSymbolAtLocation(node);
    const target = symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    symbols.set(node, target);
    return target;
  };
  const declarationOf = (node: Node): Node | undefined => {
    const symbol = isShorthand(node.parent) ? checker.getShorthandAssignmentValueSymbol(node.parent) : symbolOf(node);
    const target = symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = (target?.valueDeclaration ?? target?.declarations[0])?.resolve(project);
    // A method of an object that is created by a function of the same name.
    return declaration && isShorthand(declaration) && declaration.name !== node ? declarationOf(declaration.name) : declaration;
  };

  let calls: Map<string, CallExpression[]> | undefined;
  const callsByName = (): Map<string, CallExpression[]> => {
    if (calls) return calls;
    calls = new Map();
    for (const file of files)
      walk(file, (node) => {
        const name = isCallExpression(node) ? nameOf(node.expression)?.text : undefined;
        if (name !== undefined) calls?.set(name, [...(calls.get(name) ?? []), node as CallExpression]);
      });
    return calls;
  };
  const callsOf = (declaration: Node): readonly CallExpression[] => {
    const named = isVariableDeclaration(declaration.parent) ? declaration.parent : declaration;
    const { name } = named as { name?: Node };
    if (!name || !isIdentifier(name)) return [];
    return (callsByName().get(name.text) ?? []).filter((call) => {
      const callee = nameOf(call.expression);
      return callee !== undefined && declarationOf(callee) === named;
    });
  };

  return {
    checker,
    files,
    typeOf,
    symbolOf,
    declarationOf,
    callsOf,
    pathOf,
    isDeclaredIn: (call, ...paths) => {
      const path = checker.getResolvedSignature(call)?.declaration?.path.toLowerCase();
      return path !== undefined && paths.some((end) => path.endsWith(end.toLowerCase()));
    },
    placeOf: (node) => {
      const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
      return `${pathOf(node)}:${line + 1}`;
    },
    close: () => api.close(),
  };
}

/** The identifier of the called function: `query` of `db.query(...)`. */
export function nameOf(callee: Node): (Node & { text: string }) | undefined {
  if (isIdentifier(callee)) return callee;
  return isPropertyAccessExpression(callee) && isIdentifier(callee.name) ? callee.name : undefined;
}

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}
