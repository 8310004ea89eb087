/** Finds the fragments that features give to the engine: conditions of rows and inserts along with a row. */
import * as ast from 'typescript/unstable/ast';
import type { Node } from 'typescript/unstable/ast';
import { TypeFlags } from 'typescript/unstable/sync';
import { type CompiledSources, nameOf, walk } from './compiler.ts';
import type { Evaluation } from './evaluate.ts';
import { type CallScope, keyOf, quote, type SourceValue, statementOf, Unresolved } from './values.ts';

/** What the sources give to the engine: hooks of `serve`, the condition of `implementList`, or an object with `narrow`. */
export type FragmentSender = 'rowsFor' | 'along' | 'implementList' | 'narrow';

type FragmentStatement = SourceValue & { kind: 'statement' };

/** Returns what a node gives to the engine. */
export function fragmentSendersOf(sources: CompiledSources, node: Node): FragmentSender[] {
  if (ast.isObjectLiteralExpression(node)) return isNarrowed(node) ? ['narrow'] : [];
  if (!ast.isCallExpression(node)) return [];
  const name = nameOf(node.expression)?.text;
  if (name === 'serve' && sources.isDeclaredIn(node, '/server/src/resources/served.ts')) return ['rowsFor', 'along'];
  return name === 'implementList' && sources.isDeclaredIn(node, '/server/src/resources/action.ts') ? ['implementList'] : [];
}

/** Functions that get `narrow` in an object, and the position of the parameter with the resource or the served entity. */
const narrowed: Readonly<Record<string, number>> = { list: 1, listKeys: 1, touched: 0 };

function isNarrowed(node: ast.ObjectLiteralExpression): boolean {
  const { parent } = node;
  return (
    ast.isCallExpression(parent) &&
    (nameOf(parent.expression)?.text ?? '') in narrowed &&
    node.properties.some((property) => keyOf(property) === 'narrow')
  );
}

/** Returns the statements in which the engine uses the fragments, as one evaluation of the sources makes them. */
export function fragmentStatements(
  evaluation: Evaluation,
  node: Node,
  sender: FragmentSender,
  { scope, tableOf }: { scope: CallScope; tableOf: (resource: string) => string | undefined },
): FragmentStatement[] {
  const condition = (table: string | undefined, value: SourceValue | undefined): FragmentStatement[] => {
    if (value === undefined) return [];
    if (table === undefined) throw new Unresolved('the table of the condition is not known', node);
    return fragmentOf(evaluation, value).map((fragment) =>
      statementOf({ ...fragment, parts: [`select from "${table}" as t where `, ...fragment.parts] }),
    );
  };
  if (sender === 'narrow') {
    const object = evaluation.evaluate(node, scope);
    const table = tableOfRead(evaluation, node.parent as ast.CallExpression, scope, tableOf);
    const narrow = evaluation.property(object, 'narrow');
    return condition(table, narrow && evaluation.follow(narrow));
  }
  const [first, second, third] = (node as ast.CallExpression).arguments.map((argument) => evaluation.evaluate(argument, scope));
  if (sender === 'implementList') {
    const of = first && evaluation.property(first, 'of');
    return condition(of && tableOf(evaluation.textOf(of)), second && callByEngine(evaluation, second, 2));
  }
  const hook = third && evaluation.property(third, sender);
  if (!second || !hook) return [];
  if (sender === 'rowsFor') return condition(evaluation.textOf(second), callByEngine(evaluation, evaluation.follow(hook), 1));
  return evaluation
    .itemsOf(callByEngine(evaluation, evaluation.follow(hook)))
    .flatMap((item) =>
      fragmentOf(evaluation, evaluation.follow(item)).map((fragment) => statementOf({ ...fragment, parts: [wire, ...fragment.parts] })),
    );
}

/** Evaluates a hook as the engine calls it; `alias` is the position of the parameter that gets the alias of the table. */
function callByEngine(evaluation: Evaluation, hook: SourceValue, alias?: number): SourceValue {
  if (hook.kind !== 'function') throw new Unresolved(`${quote(hook.node)} is no known function`, hook.node);
  const values = hook.node.parameters.map(({ name }, at): SourceValue =>
    at === alias ? { kind: 'text', text: 't', node: name } : { kind: 'typed', node: name },
  );
  return evaluation.apply(hook, values, hook.node);
}

/** The row from which inserts along with it read, as `writeRecorded` provides it. */
const wire = "with wire as (select null::uuid as tenant_id, ''::text as entity_id, '{}'::jsonb as after) ";

/** Returns the fragment; nothing for `undefined`, which means no condition. */
function fragmentOf(evaluation: Evaluation, value: SourceValue): (SourceValue & { kind: 'fragment' })[] {
  if (value.kind === 'fragment') return [value];
  if (value.kind === 'typed' && evaluation.typeOf(value).flags & TypeFlags.Undefined) return [];
  throw new Unresolved(
    `the fragment ${quote(value.node)} is not known`,
    value.node,
    value.kind === 'typed' ? value.parameterOf : undefined,
  );
}

/** Returns the table of the resource or served entity that a call gets. */
function tableOfRead(
  evaluation: Evaluation,
  read: ast.CallExpression,
  scope: CallScope,
  tableOf: (resource: string) => string | undefined,
): string | undefined {
  const of = read.arguments[narrowed[nameOf(read.expression)?.text ?? ''] ?? 0];
  if (!of) return undefined;
  const isServedOf = ast.isCallExpression(of) && nameOf(of.expression)?.text === 'servedOf';
  const entity = isServedOf && of.arguments[0] ? of.arguments[0] : of;
  const value = evaluation.evaluate(entity, scope);
  const table = evaluation.property(value, 'table');
  if (table) return evaluation.textOf(table);
  const name = evaluation.property(value, 'name');
  return name && tableOf(evaluation.textOf(name));
}

/** Returns all texts with the tag `sql` in a file. */
export function fragmentsIn(file: Node): Node[] {
  const fragments: Node[] = [];
  walk(file, (node) => {
    if (ast.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') fragments.push(node);
  });
  return fragments;
}
