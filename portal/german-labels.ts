/** Finds the labels in the source of a declaration, so that the German build and its test read the same ones. */
import { parseAst } from 'vite';

/** A label in a source: its text, with `{}` for each value in it, and its literals, which become the parts between the values. */
export interface DeclaredLabel {
  text: string;
  parts: readonly { start: number; end: number }[];
  isTemplate: boolean;
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value;

/** Properties of a declaration that people read. */
const shown = new Set(['label', 'plural', 'help']);

/** Functions of declarations that make a field of a label. */
const ofField = new Set(['minutes', 'choices']);

/** Whether the file has declarations of entities or fields, or the operands of rules. */
export const declares = (path: string): boolean =>
  /contract\/src\/(resources\/[^/]+|on-call\/hours-fields|rules\/operands)\.ts$/.test(path) && !path.includes('.test.');

/** The nodes in the places of labels: `f.text('Name')`, `label: 'Person'`, `selector(10, 'Entity')`, `['Title', 'title', ...]`. */
function labelNodes(node: SyntaxNode, isOfRules: boolean): (SyntaxNode | undefined)[] {
  if (node.type === 'ObjectExpression') {
    const properties = (node['properties'] as SyntaxNode[]).flatMap((item) =>
      isNode(item['key']) && isNode(item['value']) ? [{ name: String(item['key']['name']), value: item['value'] }] : [],
    );
    // The label of a choice is translated where it is shown, because some values on the wire are labels.
    if (properties.some(({ name }) => name === 'value')) return [];
    return properties.flatMap(({ name, value }) => (shown.has(name) || (isOfRules && name === 'name') ? [value] : []));
  }
  if (node.type === 'CallExpression') {
    const [first, second] = node['arguments'] as SyntaxNode[];
    const callee = node['callee'] as SyntaxNode;
    if (isOfRules) return typeof first?.['value'] === 'number' ? [second] : [];
    const isField =
      callee.type === 'MemberExpression' ? (callee['object'] as SyntaxNode)['name'] === 'f' : ofField.has(String(callee['name']));
    return isField ? [first, ...(callee['name'] === 'minutes' ? [second] : [])] : [];
  }
  const elements = node.type === 'ArrayExpression' ? (node['elements'] as SyntaxNode[]) : [];
  return isOfRules && elements.length === 3 && elements[0]?.type === 'Literal' ? elements.slice(0, 1) : [];
}

function labelOf(node: SyntaxNode | undefined): DeclaredLabel[] {
  if (node?.type === 'Literal' && typeof node['value'] === 'string' && node['value'] !== '')
    return [{ text: node['value'], parts: [{ start: node.start, end: node.end }], isTemplate: false }];
  if (node?.type !== 'TemplateLiteral') return [];
  const quasis = node['quasis'] as (SyntaxNode & { value: { cooked: string; raw: string } })[];
  // The place of a part includes the sign before it, a backtick or a brace.
  const parts = quasis.map(({ start, value }) => ({ start: start + 1, end: start + 1 + value.raw.length }));
  return [{ text: quasis.map(({ value }) => value.cooked).join('{}'), parts, isTemplate: true }];
}

/** The labels in the source of a declaration, in the order of their places. */
export function labelsIn(path: string, code: string): DeclaredLabel[] {
  const labels: DeclaredLabel[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    if (!isNode(value)) return;
    labels.push(...labelNodes(value, path.includes('/rules/')).flatMap(labelOf));
    Object.values(value).forEach(walk);
  };
  walk(parseAst(code, { lang: 'ts' }));
  return labels.toSorted((a, b) => (a.parts[0]?.start ?? 0) - (b.parts[0]?.start ?? 0));
}

/** The source with each label in its translation; `unknown` gets those without one. */
export function withLabels(path: string, code: string, texts: Readonly<Record<string, string>>, unknown: (label: string) => void): string {
  let [result, done] = ['', 0];
  for (const { text, parts, isTemplate } of labelsIn(path, code)) {
    const translated = texts[text]?.split('{}');
    if (translated?.length !== (isTemplate ? parts.length : 1)) unknown(text);
    else
      parts.forEach(({ start, end }, at) => {
        const part = translated[at] ?? '';
        result += code.slice(done, start) + (isTemplate ? part : JSON.stringify(part));
        done = end;
      });
  }
  return result + code.slice(done);
}
