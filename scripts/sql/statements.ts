/** Finds every statement that the sources send to PostgreSQL, in all its variants. */
import { type CallExpression, isCallExpression, type Node } from 'typescript/unstable/ast';
import { type Type, TypeFlags } from 'typescript/unstable/sync';
import { type WayChoices, everyWay } from './choices.ts';
import { nameOf, type CompiledSources, walk } from './compiler.ts';
import { Evaluation } from './evaluate.ts';
import { fragmentSendersOf, fragmentsIn, fragmentStatements, type FragmentSender } from './fragments.ts';
import { type FunctionNode, type CallScope, statementOf, Unresolved, type SourceValue } from './values.ts';

/** One variant of a statement. */
export interface StatementForm {
  /**
   * The call that sends the statement. If the function around this call gets the text as a parameter, the call of that
   * function.
   */
  readonly call: Node;
  readonly text: string;
  /** The node at which the text begins. */
  readonly textNode: Node;
  /** Types of the values, or undefined when only a text is sent. */
  readonly values: readonly Type[] | undefined;
  /** The type of a row; undefined when no row is read. */
  readonly row: Type | undefined;
  /** Name of the prepared statement. */
  readonly name: string | undefined;
  /** Whether the engine sends it, together with the record of the row. */
  readonly isOfEngine: boolean;
}

export interface UnresolvedStatement {
  readonly call: Node;
  readonly reason: string;
}

const maxWays = 400;

/** Replaces unknown texts, such as names, in statements that manage databases, roles and settings; these are only parsed. */
const placeholder = 'placeholder_name';
const readsTables = /^(select|insert|update|delete|with|copy|explain)\b/i;

/** What sends a statement: `Db` of the server, `pg`, `writeRecorded`, or the engine with a fragment of the sources. */
type StatementSender = 'db' | 'pg' | 'recorded' | FragmentSender;

function sendersOf(sources: CompiledSources, node: Node): readonly StatementSender[] {
  const name = isCallExpression(node) ? nameOf(node.expression)?.text : undefined;
  if (name === 'writeRecorded') return ['recorded'];
  if (name !== 'query' && name !== 'defer') return fragmentSendersOf(sources, node);
  const call = node as CallExpression;
  if (sources.isDeclaredIn(call, '/server/src/db/db.ts')) return ['db'];
  return sources.isDeclaredIn(call, '/@types/pg/index.d.ts') ? ['pg'] : [];
}

/**
 * Finds the statements of all files that are not exempt. In `isBuilt` files, only counts those that cannot be evaluated. Elsewhere,
 * each fragment must be part of a statement.
 */
export function findStatements(
  sources: CompiledSources,
  isBuilt: (path: string) => boolean,
  isExempt: (path: string) => boolean,
): { statements: StatementForm[]; unresolved: UnresolvedStatement[]; built: number; tables: ReadonlyMap<string, string> } {
  const statements: StatementForm[] = [];
  const unresolved: UnresolvedStatement[] = [];
  let built = 0;
  const shared: SharedParts = { sources, fragments: new Set(), tables: tablesOf(sources) };
  const files = sources.files.filter((file) => !isExempt(sources.pathOf(file)));
  for (const file of files)
    walk(file, (call) => {
      for (const sender of sendersOf(sources, call))
        try {
          const forms: StatementForm[] = [];
          everyWay(maxWays, (choices) => forms.push(...readStatement(shared, choices, call, sender)));
          statements.push(...distinct(forms));
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          if (isBuilt(sources.pathOf(file))) built++;
          else if (error instanceof Unresolved) unresolved.push({ call, reason: error.message });
          else unresolved.push({ call, reason: error.stack ?? error.message });
        }
    });
  for (const file of files.filter((file) => !isBuilt(sources.pathOf(file))))
    for (const call of fragmentsIn(file).filter((fragment) => !shared.fragments.has(fragment)))
      unresolved.push({ call, reason: 'no statement that was read has this fragment' });
  return { statements, unresolved, built, tables: shared.tables };
}

/** What all evaluations share. */
interface SharedParts {
  sources: CompiledSources;
  /** Fragments that are part of a statement. */
  fragments: Set<Node>;
  /** Tables by the name of their resource. */
  tables: ReadonlyMap<string, string>;
}

/** Returns the tables of the calls of `serve`, by the name of their resource. */
function tablesOf(sources: CompiledSources): Map<string, string> {
  const tables = new Map<string, string>();
  for (const file of sources.files)
    walk(file, (node) => {
      if (!fragmentSendersOf(sources, node).includes('rowsFor')) return;
      everyWay(1, (choices) => {
        const evaluation = new Evaluation(sources, choices, new Set());
        const [resource, table] = (node as CallExpression).arguments.map((argument) => evaluation.evaluate(argument, new Map()));
        const name = resource && evaluation.property(resource, 'name');
        if (name && table) tables.set(evaluation.textOf(name), evaluation.textOf(table));
      });
    });
  return tables;
}

function distinct(forms: readonly StatementForm[]): StatementForm[] {
  const ids = (form: StatementForm) => [form.text, form.name, form.row?.id, ...(form.values ?? []).map((type) => type.id)].join('\u0000');
  return [...new Map(forms.map((form) => [ids(form), form])).values()];
}

/** Reads one variant of a call. If it depends on parameters of the function around it, chooses one caller of this function. */
function readStatement(shared: SharedParts, choices: WayChoices, call: Node, sender: StatementSender): StatementForm[] {
  const { sources, fragments, tables } = shared;
  const scope = new Map<Node, readonly SourceValue[]>();
  const callers = new Map<FunctionNode, CallExpression>();
  for (;;) {
    const isBare = sender === 'pg' && (call as CallExpression).arguments.length === 1;
    const evaluation = new Evaluation(sources, choices, fragments, isBare ? placeholder : undefined);
    try {
      const origin = [...callers.values()].at(-1) ?? call;
      if (sender !== 'db' && sender !== 'pg' && sender !== 'recorded') {
        const compiled = fragmentStatements(evaluation, call, sender, { scope, tableOf: (name) => tables.get(name) });
        return compiled.map((item) => ({ ...formOf(evaluation, item), call: origin, row: undefined, isOfEngine: true }));
      }
      const row = sender === 'recorded' ? undefined : rowOf(sources, call as CallExpression, callers);
      return formsOf(evaluation, call as CallExpression, sender, scope).map((form) => ({
        ...form,
        call: origin,
        row,
        isOfEngine: sender === 'recorded',
      }));
    } catch (error) {
      if (!(error instanceof Unresolved) || !error.parameterOf || scope.has(error.parameterOf)) throw error;
      const calls = sources.callsOf(error.parameterOf);
      const caller = calls[calls.length === 1 ? 0 : choices.choose(`callers ${sources.placeOf(error.parameterOf)}`, calls.length)];
      if (!caller) throw error;
      callers.set(error.parameterOf, caller);
      scope.set(error.parameterOf, evaluation.argumentsOf(caller, scope));
    }
  }
}

type TextForm = Pick<StatementForm, 'text' | 'textNode' | 'values' | 'name'>;

function formOf(evaluation: Evaluation, { text, node, values }: SourceValue & { kind: 'statement' }): TextForm {
  return { text, textNode: node, values: values.map((value) => evaluation.typeOf(value)), name: undefined };
}

function formsOf(evaluation: Evaluation, call: CallExpression, sender: StatementSender, scope: CallScope): TextForm[] {
  const typesOf = (values: readonly SourceValue[]): Type[] => values.map((value) => evaluation.typeOf(value));
  const read = (text: SourceValue): string => {
    const content = evaluation.textOf(text);
    if (content.includes(placeholder) && readsTables.test(content)) throw new Unresolved('the text of the statement is not known', call);
    return content;
  };
  const argument = call.arguments[sender === 'recorded' ? 3 : 0];
  if (!argument) throw new Unresolved('the call has no statement', call);
  const value = evaluation.evaluate(argument, scope);
  const compiled = value.kind === 'fragment' ? statementOf(value) : value;
  if (compiled.kind === 'statement') return [formOf(evaluation, compiled)];
  if (value.kind === 'object') {
    const property = evaluation.property(value, 'text');
    if (!property) throw new Unresolved('the statement has no text', call);
    const text = evaluation.follow(property);
    const values = evaluation.property(value, 'values');
    const name = evaluation.property(value, 'name');
    return [
      {
        text: read(text),
        textNode: text.node,
        values: typesOf(values ? evaluation.itemsOf(values) : []),
        name: name && !evaluation.hasSamples ? evaluation.textOf(name) : undefined,
      },
    ];
  }
  const text = read(value);
  const values = call.arguments[1];
  if (values)
    return [{ text, textNode: value.node, values: typesOf(evaluation.itemsOf(evaluation.evaluate(values, scope))), name: undefined }];
  return splitStatements(text).map((splitStatement) => ({
    text: splitStatement,
    textNode: value.node,
    values: undefined,
    name: undefined,
  }));
}

/** Splits a text into its statements; without values, a text may have several. */
function splitStatements(text: string): string[] {
  const pieces = text.match(/(?:'(?:[^']|'')*'|\$\$[\s\S]*?\$\$|--[^\n]*|[^;])+/g) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Returns the type of one row of the result; in a generic function, the row type at the chosen call of the function. */
function rowOf(sources: CompiledSources, call: CallExpression, callers: ReadonlyMap<FunctionNode, CallExpression>): Type | undefined {
  const answer = itemOf(sources, sources.typeOf(call));
  if (!answer || !(answer.flags & TypeFlags.TypeParameter)) return answer;
  const owner = answer.getSymbol()?.declarations[0]?.resolve()?.parent as FunctionNode | undefined;
  if (!owner) return answer;
  const caller = callers.get(owner);
  if (!caller) throw new Unresolved('the type of its rows is not known', call, owner);
  return itemOf(sources, sources.typeOf(caller));
}

/** Returns `R` of `Promise<R[]>` and of `Promise<QueryResult<R>>`. */
function itemOf(sources: CompiledSources, answer: Type): Type | undefined {
  const { checker } = sources;
  const of = (type: Type): Type | undefined => (type.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined);
  const inside = answer.getSymbol()?.name === 'Promise' ? of(answer) : answer;
  if (!inside) return undefined;
  if (inside.isUnionType()) return itemOf(sources, inside.getTypes().find((type) => type.isObjectType()) ?? inside);
  if (inside.flags & TypeFlags.Void) return undefined;
  return checker.isArrayType(inside) || inside.getSymbol()?.name === 'QueryResult' ? of(inside) : inside;
}
