/** What an expression of the sources may be, and how its syntax is read. */
import * as ast from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import type { Type } from 'typescript/unstable/sync';

/** What an expression is. Of a value that only runs know there is its type. */
export type SourceValue =
  | { readonly kind: 'text'; readonly text: string; readonly node: Node }
  | {
      readonly kind: 'list';
      readonly items: readonly SourceValue[];
      readonly node: Node;
      /** Of a list that only runs know one item stands for all. */
      readonly isSample?: true;
    }
  | { readonly kind: 'object'; readonly node: ast.ObjectLiteralExpression; readonly scope: CallScope }
  | { readonly kind: 'statement'; readonly text: string; readonly values: readonly SourceValue[]; readonly node: Node }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly scope: CallScope }
  | { readonly kind: 'fragment'; readonly parts: readonly (string | SourceValue)[]; readonly node: Node }
  | {
      readonly kind: 'typed';
      readonly node: Node;
      /** Where it is not the type of `node`. */
      readonly type?: Type;
      /** The function that the caller hands this value to. */
      readonly parameterOf?: FunctionNode;
      /** Present while nobody has followed the expression. */
      readonly scope?: CallScope;
    };

export type FunctionNode = ast.ArrowFunction | ast.FunctionDeclaration | ast.FunctionExpression | ast.MethodDeclaration;

/** The arguments that functions are called with. */
export type CallScope = ReadonlyMap<Node, readonly SourceValue[]>;

/** The sources do not tell what stands there. */
export class Unresolved extends Error {
  readonly node: Node;
  /** The function whose parameter it is: its callers tell. */
  readonly parameterOf: FunctionNode | undefined;

  constructor(message: string, node: Node, parameterOf?: FunctionNode) {
    super(message);
    this.node = node;
    this.parameterOf = parameterOf;
  }
}

export const isFunction = (node: Node): node is FunctionNode =>
  ast.isArrowFunction(node) || ast.isFunctionDeclaration(node) || ast.isFunctionExpression(node) || ast.isMethodDeclaration(node);

/** The text of a fragment, with `$1`, `$2`, ... for its values. */
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

/** Name of a property that is written out. */
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
