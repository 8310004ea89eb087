/**
 * Evaluates an expression of the sources statically as far as possible: texts, lists, objects, functions and fragments
 * of the `sql` tag. Where several branches are possible, `WayChoices` selects one for this evaluation.
 */
import * as ast from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { type Type, TypeFlags } from 'typescript/unstable/sync';
import { columnName } from '../../server/src/db/column-name.ts';
import type { WayChoices } from './choices.ts';
import { type CompiledSources, nameOf } from './compiler.ts';
import {
  enclosingFunction,
  type FunctionNode,
  isFunction,
  keyOf,
  nameText,
  quote,
  returnsOf,
  type CallScope,
  statementOf,
  Unresolved,
  type SourceValue,
} from './values.ts';

export class Evaluation {
  readonly #sources: CompiledSources;
  readonly #choices: WayChoices;
  readonly #placeholder: string | undefined;
  /** Fragments that are part of an evaluated text. */
  readonly fragments: Set<Node>;
  /** Whether a text contains one example of values that are known only at run time. */
  hasSamples = false;
  #depth = 0;

  /** `placeholder` replaces texts that are unknown. */
  constructor(sources: CompiledSources, choices: WayChoices, fragments: Set<Node>, placeholder?: string) {
    this.#sources = sources;
    this.fragments = fragments;
    this.#choices = choices;
    this.#placeholder = placeholder;
  }

  evaluate(node: Node, scope: CallScope): SourceValue {
    if (++this.#depth > 200) throw new Unresolved('the expression goes round in a circle', node);
    try {
      return this.#evaluate(node, scope);
    } finally {
      this.#depth--;
    }
  }

  typeOf(value: SourceValue): Type {
    return (value.kind === 'typed' ? value.type : undefined) ?? this.#sources.typeOf(value.node);
  }

  /** Returns the arguments of a call, which `follow` evaluates on demand. */
  argumentsOf(call: ast.CallExpression, scope: CallScope): readonly SourceValue[] {
    return call.arguments.flatMap((argument) => this.#items(argument, scope));
  }

  /** Evaluates an argument or element, unless it is evaluated already. */
  follow(value: SourceValue): SourceValue {
    return value.kind === 'typed' && value.scope ? this.evaluate(value.node, value.scope) : value;
  }

  /** Returns the text of an expression; throws `Unresolved` with the reason if the text is unknown. */
  textOf(unfollowed: SourceValue): string {
    const value = this.follow(unfollowed);
    if (value.kind === 'text') return value.text;
    if (value.kind === 'typed') {
      const literal = this.#literalOf(value);
      if (literal !== undefined) return literal;
      // A number cannot change the shape of a statement.
      if (this.typeOf(value).flags & TypeFlags.NumberLike) return '1';
      if (this.#placeholder !== undefined && !value.parameterOf) return this.#placeholder;
      throw new Unresolved(`the text of ${quote(value.node)} is not known`, value.node, value.parameterOf);
    }
    throw new Unresolved(`${quote(value.node)} is not a text`, value.node);
  }

  /** Returns a property of an object, not evaluated yet; undefined when the property does not exist. */
  property(unfollowed: SourceValue, name: string): SourceValue | undefined {
    const value = this.follow(unfollowed);
    if (value.kind !== 'object') return undefined;
    for (const property of value.node.properties.toReversed()) {
      if (ast.isSpreadAssignment(property)) {
        const inner = this.property(this.evaluate(property.expression, value.scope), name);
        if (inner) return inner;
      } else if (keyOf(property) === name) return this.#propertyValue(property, value.scope);
    }
    return undefined;
  }

  #propertyValue(property: ast.ObjectLiteralElementLike, scope: CallScope): SourceValue | undefined {
    if (ast.isPropertyAssignment(property)) return { kind: 'typed', node: property.initializer, scope };
    if (ast.isShorthandPropertyAssignment(property)) return { kind: 'typed', node: property.name, scope };
    return ast.isMethodDeclaration(property) ? { kind: 'function', node: property, scope } : undefined;
  }

  /** Returns the items of an array, each with the most precise type. Throws `Unresolved` if their number is unknown. */
  itemsOf(unfollowed: SourceValue): readonly SourceValue[] {
    const { checker } = this.#sources;
    const type = this.typeOf(unfollowed);
    if (checker.isTupleType(type) && type.isTypeReference())
      return checker.getTypeArguments(type).map((item) => ({ kind: 'typed', node: unfollowed.node, type: item }));
    const value = this.follow(unfollowed);
    if (value.kind === 'list' && !value.isSample) return value.items;
    const parameterOf = value.kind === 'typed' ? value.parameterOf : undefined;
    throw new Unresolved(`the number of values in ${quote(value.node)} is not known`, value.node, parameterOf);
  }

  #typed(node: Node, parameterOf?: FunctionNode): SourceValue {
    return { kind: 'typed', node, ...(parameterOf ? { parameterOf } : {}) };
  }

  /** Returns the text of a literal type; for a union, the member that `WayChoices` selects. */
  #literalOf(value: SourceValue & { kind: 'typed' }): string | undefined {
    const { node } = value;
    const type = this.typeOf(value);
    const members = type.isUnionType() ? type.getTypes() : [type];
    const texts = members.flatMap((member) => (member.isStringLiteralType() || member.isNumberLiteralType() ? [String(member.value)] : []));
    if (texts.length === 0 || texts.length < members.length) return undefined;
    return texts[texts.length === 1 ? 0 : this.#choices.choose(this.#keyOf(node), texts.length)];
  }

  /**
   * Returns the key under which a branch is chosen for an expression. All uses of a variable in a statement have the same key,
   * so that all uses get the same value.
   */
  #keyOf(node: Node): string {
    const target = ast.isIdentifier(node) ? this.#sources.declarationOf(node) : undefined;
    return target ? `${this.#sources.placeOf(target)} ${target.pos}` : `${enclosingFunction(node)?.pos ?? 0} ${node.getText()}`;
  }

  #evaluate(node: Node, scope: CallScope): SourceValue {
    if (ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node) || ast.isNumericLiteral(node))
      return { kind: 'text', text: node.text, node };
    if (ast.isTemplateExpression(node)) {
      const text = node.templateSpans.reduce(
        (before, span) => before + this.textOf(this.evaluate(span.expression, scope)) + span.literal.text,
        node.head.text,
      );
      return { kind: 'text', text, node };
    }
    if (ast.isParenthesizedExpression(node) || ast.isAsExpression(node) || ast.isSatisfiesExpression(node) || ast.isAwaitExpression(node))
      return this.evaluate(node.expression, scope);
    if (ast.isIdentifier(node)) return this.#identifier(node, scope);
    if (ast.isConditionalExpression(node)) return this.evaluate(this.#holds(node.condition, scope) ? node.whenTrue : node.whenFalse, scope);
    if (ast.isBinaryExpression(node)) return this.#binary(node, scope);
    if (ast.isObjectLiteralExpression(node)) return { kind: 'object', node, scope };
    if (ast.isArrayLiteralExpression(node))
      return { kind: 'list', node, items: node.elements.flatMap((element) => this.#items(element, scope)) };
    if (isFunction(node)) return { kind: 'function', node, scope };
    if (ast.isPropertyAccessExpression(node)) {
      const owner = this.evaluate(node.expression, scope);
      const value = this.property(owner, node.name.text);
      const target = value ? undefined : this.#sources.declarationOf(node.name);
      // A constant of an imported namespace.
      if (target && ast.isVariableDeclaration(target)) return this.#identifier(node.name, scope);
      return value ? this.follow(value) : this.#typed(node, owner.kind === 'typed' ? owner.parameterOf : undefined);
    }
    if (ast.isElementAccessExpression(node)) return this.#element(node, scope);
    if (ast.isTaggedTemplateExpression(node)) return this.#fragment(node, scope);
    if (ast.isCallExpression(node)) return this.#call(node, scope);
    return this.#typed(node);
  }

  /** Returns an element of an array or argument of a call, not evaluated yet; for a spread, its items. */
  #items(element: Node, scope: CallScope): readonly SourceValue[] {
    if (ast.isSpreadElement(element)) return this.itemsOf({ kind: 'typed', node: element.expression, scope });
    const target = ast.isIdentifier(element) ? this.#sources.declarationOf(element) : undefined;
    const owner = target && ast.isParameterDeclaration(target) ? (target.parent as FunctionNode) : undefined;
    const value = owner && scope.get(owner)?.[owner.parameters.indexOf(target as ast.ParameterDeclaration)];
    return [value ?? { kind: 'typed', node: element, scope }];
  }

  /** Whether a condition is true in this evaluation. */
  #holds(condition: Node, scope: CallScope): boolean {
    if (ast.isParenthesizedExpression(condition)) return this.#holds(condition.expression, scope);
    if (ast.isPrefixUnaryExpression(condition) && condition.operator === ast.SyntaxKind.ExclamationToken)
      return !this.#holds(condition.operand, scope);
    if (ast.isBinaryExpression(condition) && /^(undefined|null)$/.test(condition.right.getText())) {
      const { kind } = condition.operatorToken;
      if (kind === ast.SyntaxKind.ExclamationEqualsEqualsToken) return this.#holds(condition.left, scope);
      if (kind === ast.SyntaxKind.EqualsEqualsEqualsToken) return !this.#holds(condition.left, scope);
    }
    const value = this.evaluate(condition, scope);
    if (value.kind !== 'typed') return value.kind !== 'text' || value.text !== '';
    if (value.node !== condition && !ast.isIdentifier(value.node)) return this.#holds(value.node, scope);
    const type = this.typeOf(value);
    const { flags } = type;
    if (type.isBooleanLiteralType()) return type.value;
    if (flags & (TypeFlags.Undefined | TypeFlags.Null)) return false;
    return this.#choices.choose(this.#keyOf(value.node), 2) === 0;
  }

  #binary(node: ast.BinaryExpression, scope: CallScope): SourceValue {
    if (node.operatorToken.kind === ast.SyntaxKind.PlusToken && this.#sources.typeOf(node).flags & TypeFlags.StringLike) {
      const [left, right] = [this.evaluate(node.left, scope), this.evaluate(node.right, scope)];
      return { kind: 'text', text: this.textOf(left) + this.textOf(right), node };
    }
    if (node.operatorToken.kind === ast.SyntaxKind.QuestionQuestionToken) {
      const left = this.evaluate(node.left, scope);
      if (left.kind !== 'typed') return left;
      if (/^(undefined|null)$/.test(left.node.getText())) return this.evaluate(node.right, scope);
    }
    return this.#typed(node);
  }

  #identifier(node: Node, scope: CallScope): SourceValue {
    const target = this.#sources.declarationOf(node);
    if (!target) return this.#typed(node);
    if (isFunction(target)) return { kind: 'function', node: target, scope };
    if (ast.isParameterDeclaration(target)) return this.#parameter(target, node, scope);
    if (ast.isBindingElement(target)) return this.#bound(target, node, scope);
    if (!ast.isVariableDeclaration(target)) return this.#typed(node);
    const list = target.parent;
    if (ast.isVariableDeclarationList(list) && ast.isForOfStatement(list.parent)) {
      const items = this.evaluate(list.parent.expression, scope);
      return items.kind === 'list' ? this.#oneOf(items, this.#keyOf(node)) : this.#typed(node);
    }
    const isConstant = ast.isVariableDeclarationList(list) && (list.flags & ast.NodeFlags.Const) !== 0;
    return isConstant && target.initializer ? this.evaluate(target.initializer, scope) : this.#typed(node);
  }

  #oneOf({ items, node }: SourceValue & { kind: 'list' }, key: string): SourceValue {
    const item = items[this.#choices.choose(key, items.length)];
    if (!item) throw new Unresolved(`${quote(node)} is empty`, node);
    return this.follow(item);
  }

  #parameter(target: ast.ParameterDeclaration, node: Node, scope: CallScope): SourceValue {
    const owner = target.parent as FunctionNode;
    const values = scope.get(owner);
    if (!values) return this.#typed(node, owner);
    const index = owner.parameters.indexOf(target);
    if (target.dotDotDotToken) return { kind: 'list', items: values.slice(index), node };
    const value = values[index];
    if (value) return this.follow(value);
    return target.initializer ? this.evaluate(target.initializer, scope) : this.#typed(node);
  }

  /** Evaluates a destructured variable: `name` of `const { name } = ...`, or `a` of `const [a, b] = ...`. */
  #bound(target: ast.BindingElement, node: Node, scope: CallScope): SourceValue {
    const pattern = target.parent;
    const declaration = pattern.parent;
    if (target.dotDotDotToken) return this.#typed(node);
    let whole: SourceValue;
    if (ast.isParameterDeclaration(declaration)) whole = this.#parameter(declaration, pattern, scope);
    else if (ast.isVariableDeclaration(declaration) && ast.isForOfStatement(declaration.parent.parent)) {
      const items = this.evaluate(declaration.parent.parent.expression, scope);
      whole = items.kind === 'list' ? this.#oneOf(items, this.#keyOf(declaration)) : this.#typed(node);
    } else if (ast.isVariableDeclaration(declaration) && declaration.initializer) whole = this.evaluate(declaration.initializer, scope);
    else return this.#typed(node);
    if (ast.isArrayBindingPattern(pattern)) {
      const index = (pattern.elements as readonly Node[]).indexOf(target);
      const item = whole.kind === 'list' ? whole.items[index] : undefined;
      return item ? this.follow(item) : this.#typed(node);
    }
    const name = target.propertyName ?? target.name;
    const value = name && this.property(whole, nameText(name));
    return value ? this.follow(value) : this.#typed(node, whole.kind === 'typed' ? whole.parameterOf : undefined);
  }

  /** Evaluates `texts[key]`; for an unknown key, the property that `WayChoices` selects. */
  #element(node: ast.ElementAccessExpression, scope: CallScope): SourceValue {
    const owner = this.evaluate(node.expression, scope);
    const key = this.evaluate(node.argumentExpression, scope);
    if (owner.kind === 'list') {
      const index = key.kind === 'text' ? Number(key.text) : this.#choices.choose(this.#keyOf(node.argumentExpression), owner.items.length);
      const item = owner.items[index];
      return item ? this.follow(item) : this.#typed(node);
    }
    if (owner.kind !== 'object') return this.#typed(node, owner.kind === 'typed' ? owner.parameterOf : undefined);
    const literal = key.kind === 'text' ? key.text : key.kind === 'typed' ? this.#literalOf(key) : undefined;
    const names = owner.node.properties.flatMap((property) => keyOf(property) ?? []);
    const name = literal ?? names[this.#choices.choose(this.#keyOf(node.argumentExpression), names.length)];
    if (literal === undefined) this.hasSamples = true;
    const value = name === undefined ? undefined : this.property(owner, name);
    return value ? this.follow(value) : this.#typed(node);
  }

  /** Evaluates a text with the tag `sql`: a nested fragment becomes part of the text, everything else a parameter. */
  #fragment(node: ast.TaggedTemplateExpression, scope: CallScope): SourceValue {
    if (node.tag.getText() !== 'sql') return this.#typed(node);
    this.fragments.add(node);
    const { template } = node;
    if (ast.isNoSubstitutionTemplateLiteral(template)) return { kind: 'fragment', parts: [template.text], node };
    if (!ast.isTemplateExpression(template)) return this.#typed(node);
    const parts: (string | SourceValue)[] = [template.head.text];
    for (const span of template.templateSpans) {
      const value = this.#isFragment(span.expression) ? this.evaluate(span.expression, scope) : this.#items(span.expression, scope)[0];
      if (value?.kind === 'fragment') parts.push(...value.parts);
      else if (this.#isFragment(span.expression) || !value)
        throw new Unresolved(`the fragment ${quote(span.expression)} is not known`, span.expression);
      else parts.push(value);
      parts.push(span.literal.text);
    }
    return { kind: 'fragment', parts, node };
  }

  #isFragment(node: Node): boolean {
    const type = this.#sources.typeOf(node);
    const members = type.isUnionType() ? type.getTypes() : [type];
    return members.some((member) => member.getSymbol()?.name === 'RawBuilder');
  }

  #call(node: ast.CallExpression, scope: CallScope): SourceValue {
    const callee = node.expression;
    if (ast.isPropertyAccessExpression(callee)) {
      const method = callee.name.text;
      if (callee.expression.getText() === 'sql') return this.#sqlHelper(node, method, scope);
      if (callee.expression.getText() === 'Object' && (method === 'keys' || method === 'values')) return this.#entries(node, method, scope);
      if (method === 'join' || method === 'map') return this.#overItems(node, callee.expression, method, scope);
    }
    const target = this.evaluate(callee, scope);
    if (target.kind !== 'function') return this.#typed(node);
    const [first] = node.arguments;
    if (nameOf(callee)?.text === 'columnName' && first)
      return { kind: 'text', text: columnName(this.textOf(this.evaluate(first, scope))), node };
    if (target.node.getSourceFile().fileName.endsWith('/db/compile.ts')) return this.#compiled(node, scope);
    return this.apply(target, this.argumentsOf(node, scope), node);
  }

  /** Evaluates a call of a function with these arguments. */
  apply({ node, scope }: SourceValue & { kind: 'function' }, values: readonly SourceValue[], call: Node): SourceValue {
    const { body } = node;
    if (!body) return this.#typed(call);
    const inside = new Map([...scope, [node, values] as const]);
    if (!ast.isBlock(body)) return this.evaluate(body, inside);
    const answers = returnsOf(body);
    const answer = answers[answers.length === 1 ? 0 : this.#choices.choose(`${this.#sources.placeOf(node)} returns`, answers.length)];
    return answer ? this.evaluate(answer, inside) : this.#typed(call);
  }

  /** Evaluates `list.join(', ')` and `list.map(...)`. */
  #overItems(node: ast.CallExpression, owner: Node, method: 'join' | 'map', scope: CallScope): SourceValue {
    const value = this.evaluate(owner, scope);
    const list = value.kind === 'list' ? value : this.#sampleOf(value);
    const [first] = node.arguments;
    if (!list) return this.#typed(node, value.kind === 'typed' ? value.parameterOf : undefined);
    if (method === 'join') {
      const separator = first ? this.textOf(this.evaluate(first, scope)) : ',';
      return { kind: 'text', text: list.items.map((item) => this.textOf(item)).join(separator), node };
    }
    const mapper = first && this.evaluate(first, scope);
    if (mapper?.kind !== 'function') return this.#typed(node);
    return { ...list, items: list.items.map((item) => this.apply(mapper, [item], node)), node };
  }

  #sampleOf(value: SourceValue): (SourceValue & { kind: 'list' }) | undefined {
    const { checker } = this.#sources;
    const { node } = value;
    const type = this.typeOf(value);
    const item = checker.isArrayType(type) && type.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined;
    this.hasSamples = true;
    return item && { kind: 'list', items: [{ kind: 'typed', node, type: item }], node, isSample: true };
  }

  /** Evaluates `Object.keys(...)` and `Object.values(...)` of an object literal. */
  #entries(node: ast.CallExpression, method: 'keys' | 'values', scope: CallScope): SourceValue {
    const owner = node.arguments[0] && this.evaluate(node.arguments[0], scope);
    if (owner?.kind !== 'object') return this.#typed(node);
    const items = owner.node.properties.map((property): SourceValue | undefined => {
      const text = keyOf(property);
      if (method === 'values' || text === undefined) return this.#propertyValue(property, owner.scope);
      return { kind: 'text', text, node: property };
    });
    return items.every((item) => item !== undefined) ? { kind: 'list', items, node } : this.#typed(node);
  }

  /** Evaluates helpers such as `sql.ref('a.b')` and `sql.join([...])`. */
  #sqlHelper(node: ast.CallExpression, method: string, scope: CallScope): SourceValue {
    const [first, second] = node.arguments;
    if (!first) return this.#typed(node);
    const value = this.evaluate(first, scope);
    if (method === 'ref' || method === 'table' || method === 'id') {
      const names = this.textOf(value).split('.');
      return { kind: 'fragment', parts: [names.map((name) => `"${name}"`).join('.')], node };
    }
    if (method === 'raw') return { kind: 'fragment', parts: [this.textOf(value)], node };
    if (method !== 'join') throw new Unresolved(`sql.${method} is not known to this check`, node);
    const separator = second ? this.evaluate(second, scope) : undefined;
    const between = separator?.kind === 'fragment' ? separator.parts : [', '];
    // One item of a list that is known only at run time stands for all.
    const parts = (value.kind === 'list' ? value.items : this.itemsOf(value)).flatMap((item, index) => {
      const part = this.#isFragment(item.node) ? this.follow(item) : item;
      return [...(index > 0 ? between : []), ...(part.kind === 'fragment' ? part.parts : [part])];
    });
    return { kind: 'fragment', parts, node };
  }

  #compiled(node: ast.CallExpression, scope: CallScope): SourceValue {
    const fragment = node.arguments[0] && this.evaluate(node.arguments[0], scope);
    if (fragment?.kind !== 'fragment') throw new Unresolved(`the fragment ${quote(node)} is not known`, node);
    return statementOf(fragment);
  }
}
