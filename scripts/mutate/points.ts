/** Finds what can be mutated in a source: for each place, small defects that a reviewer could overlook. */
import { parseSync } from 'vite';
import { findSqlChanges, looksLikeSql } from './sql.ts';

/** One defect: `replacement` replaces the text between `start` and `end` of the source. */
export interface Mutant {
  start: number;
  end: number;
  replacement: string;
  /** Expressions are switched by a conditional expression, statements by an `if`. */
  kind: 'expression' | 'statement';
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const comparisons: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const equalities: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
const arithmetics: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' };
const assignments: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=', '||=': '&&=', '&&=': '||=', '??=': '=' };

/** Nodes of TypeScript's syntax that contain an expression; other nodes of this syntax are never executed. */
const typedExpressions = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);
/** Calls that log; they are not mutated, because log messages are no requirements. */
const logCall = /^(?:void )?(?:\w+\.)*(?:log|console)\.\w+\(/;

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

/** Casts the program to a general node: the walk handles all kinds of nodes by the names of their properties. */
const asNode = (program: ReturnType<typeof parseSync>['program']): SyntaxNode => program as unknown as SyntaxNode;

function isText(node: unknown): boolean {
  return isNode(node) && ((node.type === 'Literal' && typeof node['value'] === 'string') || node.type === 'TemplateLiteral');
}

/** Returns the child nodes that are code, in the order of the source. */
function childrenOf(node: SyntaxNode): SyntaxNode[] {
  if (node.type.startsWith('TS')) return typedExpressions.has(node.type) ? [node['expression'] as SyntaxNode] : [];
  if (/^(?:Import|ExportAll)/.test(node.type) && node.type !== 'ImportExpression') return [];
  const skipsKey = ['Property', 'PropertyDefinition', 'MethodDefinition'].includes(node.type) && node['computed'] !== true;
  const skipsProperty = node.type === 'MemberExpression' && node['computed'] !== true;
  return Object.entries(node)
    .filter(([key]) => !(skipsKey && key === 'key') && !(skipsProperty && key === 'property'))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .toSorted((a, b) => a.start - b.start);
}

/** Returns all mutants of a source, in the order of their positions. */
export function findMutants(path: string, source: string): Mutant[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const mutants: Mutant[] = [];
  const textOf = (node: SyntaxNode) => source.slice(node.start, node.end);

  function add(node: SyntaxNode, replacement: string, kind: Mutant['kind'] = 'expression'): void {
    mutants.push({ start: node.start, end: node.end, replacement, kind });
  }

  /** Adds a mutant that replaces the operator of the node by `to`. */
  function addOperator(node: SyntaxNode, left: SyntaxNode, right: SyntaxNode, to: string): void {
    const between = source.slice(left.end, right.start).replace(String(node['operator']), to);
    add(node, source.slice(node.start, left.end) + between + source.slice(right.start, node.end));
  }

  function addCondition(test: SyntaxNode, values: readonly string[]): void {
    for (const value of values) if (textOf(test) !== value) add(test, value);
  }

  function addBinary(node: SyntaxNode, isTest: boolean): void {
    const [left, right] = [node['left'] as SyntaxNode, node['right'] as SyntaxNode];
    const operator = String(node['operator']);
    const comparison = comparisons[operator] ?? (isTest ? undefined : equalities[operator]);
    if (comparison) addOperator(node, left, right, comparison);
    const arithmetic = arithmetics[operator];
    if (arithmetic && !isText(left) && !isText(right)) addOperator(node, left, right, arithmetic);
  }

  function addSql(node: SyntaxNode, quasi: SyntaxNode): void {
    if (!looksLikeSql(textOf(quasi))) return;
    const parts = quasi.type === 'TemplateLiteral' ? (quasi['quasis'] as SyntaxNode[]) : [quasi];
    for (const part of parts)
      for (const { from, to, text } of findSqlChanges(textOf(part)))
        add(node, source.slice(node.start, part.start + from) + text + source.slice(part.start + to, node.end));
  }

  function addLiteral(node: SyntaxNode): void {
    const { value } = node;
    if (typeof value === 'boolean') add(node, String(!value));
    if (typeof value === 'number') add(node, String(value + 1));
  }

  /** Adds the mutants of a node without its children. `isTest`: a condition, which has the mutants true and false already. */
  function addOf(node: SyntaxNode, isTest: boolean): void {
    switch (node.type) {
      case 'BinaryExpression':
        return addBinary(node, isTest);
      case 'LogicalExpression': {
        const [left, right] = [node['left'] as SyntaxNode, node['right'] as SyntaxNode];
        if (node['operator'] === '??') return add(node, textOf(left));
        return addOperator(node, left, right, node['operator'] === '&&' ? '||' : '&&');
      }
      case 'UnaryExpression':
        if (node['operator'] === '!' && !isTest) add(node, textOf(node['argument'] as SyntaxNode));
        return;
      case 'UpdateExpression':
        return add(
          node,
          textOf(node).replace(/\+\+|--/, (operator) => (operator === '++' ? '--' : '++')),
        );
      case 'AssignmentExpression': {
        const to = assignments[String(node['operator'])];
        if (to) addOperator(node, node['left'] as SyntaxNode, node['right'] as SyntaxNode, to);
        return;
      }
      case 'ArrayExpression':
        if ((node['elements'] as unknown[]).length > 0) add(node, '[]');
        return;
      case 'IfStatement':
      case 'ConditionalExpression':
        return addCondition(node['test'] as SyntaxNode, ['true', 'false']);
      case 'WhileStatement':
        return addCondition(node['test'] as SyntaxNode, ['false']);
      case 'ExpressionStatement':
        if (node['directive'] === undefined || node['directive'] === null) add(node, '', 'statement');
        return;
      case 'ThrowStatement':
        return add(node, '', 'statement');
      case 'TaggedTemplateExpression':
        return addSql(node, node['quasi'] as SyntaxNode);
      case 'TemplateLiteral':
        return addSql(node, node);
      case 'Literal':
        if (typeof node['value'] === 'string') return addSql(node, node);
        return addLiteral(node);
    }
  }

  function walk(node: SyntaxNode, parent: SyntaxNode | undefined): void {
    if (node.type === 'ExpressionStatement' && logCall.test(textOf(node))) return;
    const isTest = parent !== undefined && parent['test'] === node;
    // The text of an attribute is no expression, so nothing can switch it.
    if (node.type === 'Literal' && parent?.type === 'JSXAttribute') return;
    if (!(node.type === 'TemplateLiteral' && parent?.type === 'TaggedTemplateExpression')) addOf(node, isTest);
    for (const child of childrenOf(node)) walk(child, node);
  }

  walk(asNode(program), undefined);
  return mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** Returns the bodies of loops, in which iterations are counted, because a mutant may make a loop endless. */
export function findLoopBodies(path: string, source: string): { start: number; end: number; isBlock: boolean }[] {
  const bodies: { start: number; end: number; isBlock: boolean }[] = [];
  const walk = (node: SyntaxNode): void => {
    if (/^(?:For|ForOf|ForIn|While|DoWhile)Statement$/.test(node.type)) {
      const body = node['body'] as SyntaxNode;
      bodies.push({ start: body.start, end: body.end, isBlock: body.type === 'BlockStatement' });
    }
    for (const child of childrenOf(node)) walk(child);
  };
  walk(asNode(parseSync(path, source).program));
  return bodies;
}
