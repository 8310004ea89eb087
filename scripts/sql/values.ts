/** The possible values of an expression of the sources, and helpers to read its syntax. */
import * as ast from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import type { Type } from 'typescript/unstable/sync';

/** The value of an expression. For a value that is known only at run time (`typed`), only the type is known. */
export type SourceValue =
  | { readonly kind: 'text'; readonly text: string; readonly node: Node }
  | {
      readonly kind: 'list';
      readonly items: readonly SourceValue[];
      readonly node: Node;
      /** Set when `items` has one item that represents a list known only at run time. */
      readonly isSample?: true;
    }
  | { readonly kind: 'object'; readonly node: ast.ObjectLiteralExpression; readonly scope: CallScope }
  | { readonly kind: 'statement'; readonly text: string; readonly values: readonly SourceValue[]; readonly node: Node }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly scope: CallScope }
  | { readonly kind: 'fragment'; readonly parts: readonly (string | SourceValue)[]; readonly node: Node }
  | {
      readonly kind: 'typed';
      readonly node: Node;
      /** The type of the value, if it differs from the type of `node`. */
      readonly type?: Type;
      /** The function that has the value as a parameter, and whose callers determine the value. */
      readonly parameterOf?: FunctionNode;
      /** Present until the expression is evaluated. */
      readonly scope?: CallScope;
    };

export type FunctionNode = ast.ArrowFunction | ast.FunctionDeclaration | ast.FunctionExpression | ast.MethodDeclaration;

/** The arguments with which the enclosing functions were called, by function. */
export type CallScope = ReadonlyMap<Node, readonly SourceValue[]>;

/** Thrown when the sources do not determine a value. */
export class Unresolved extends Error {
  readonly node: Node;
  /** The function that has the value as a parameter: its callers determine the value. */
  readonly parameterOf: FunctionNode | undefined;

  constructor(message: string, node: Node, parameterOf?: FunctionNode) {
    super(message);
    this.node = node;
    this.parameterOf = parameterOf;
  }
}

export const isFunction = (node: Node): node is FunctionNode =>
  ast.isArrowFunction(node) || ast.isFunctionDeclaration(node) || ast.isFunctionExpression(node) || ast.isMethodDeclaration(node);

/** Converts a fragment to a statement, with `$1`, `$2`, ... for its values. */
export function statementOf({ parts, node }: SourceValue & { kind: 'fragment' }): SourceValue & { kind: 'statement' } {
  const values: SourceValue[] = [];
  const text = parts.map((part) => (typeof part === 'string' ? part : `$${values.push(part)}`)).join('');
  return { kind: 'statement', text, values, node };
}

export function returnsOf(body: Node): Node[] {
  const answers: Node[] = [];
  const visit = (node: Node): void => {
    if (ast.isReturnStatement(node) && node.expression) answers.push(node.expression);
    else if (!isFunction(node)) node.forEachChild(visit);
  };
  body.forEachChild(visit);
  return answers;
}

export function enclosingFunction(node: Node): FunctionNode | undefined {
  for (let up: Node | undefined = node.parent; up; up = up.parent) if (isFunction(up)) return up;
  return undefined;
}

/** Returns the name of a property; undefined for a spread. */
export function keyOf(property: ast.ObjectLiteralElementLike): string | undefined {
  return ast.isSpreadAssignment(property) || !property.name ? undefined : nameText(property.name);
}

export function nameText(name: Node): string {
  return ast.isIdentifier(name) || ast.isStringLiteral(name) || ast.isNumericLiteral(name) ? name.text : name.getText();
}

export function quote(node: Node): string {
  const text = node.getText().replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
