/**
 * Reads the sources with the TypeScript compiler: syntax trees, symbols and types. The only file that uses TypeScript's API,
 * which is unstable: an upgrade of the exact version in package.json may need changes in this file.
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
  /** The symbol of an identifier; for an import, the imported symbol. */
  symbolOf(node: Node): Symbol | undefined;
  /** The node that declares an identifier. */
  declarationOf(node: Node): Node | undefined;
  /** All calls of a named function in `files`. */
  callsOf(declaration: Node): readonly CallExpression[];
  /** Whether the called method is declared in a file whose path ends with one of `paths`. */
  isDeclaredIn(call: CallExpression, ...paths: readonly string[]): boolean;
  /** File and line, such as `server/src/app/app.ts:12`. */
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
    // A shorthand property `{ name }`: continues with the declaration of the variable or function `name`.
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

/** Returns the identifier of the called function: `query` of `db.query(...)`. */
export function nameOf(callee: Node): (Node & { text: string }) | undefined {
  if (isIdentifier(callee)) return callee;
  return isPropertyAccessExpression(callee) && isIdentifier(callee.name) ? callee.name : undefined;
}

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}
