import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';

interface SyntaxNode {
  type: string;
  [key: string]: unknown;
}

/** Attributes that people read or hear. */
const readable = new Set(['aria-label', 'aria-description', 'placeholder', 'title', 'alt', 'label', 'help', 'hint', 'text']);

/** What is no word of a language: names, commands, examples of values; and words that are the same in German. */
const names = new Set(['ID', 'Status', 'WUCOMM #', 'https://', 'rack-*', 'npm run agent', '192.0.2.0/24, 2001:db8::/32']);

const isWord = (text: string): boolean => /\p{L}{2}/u.test(text) && !names.has(text.trim());

/** Properties of columns, filters and tabs that people read. */
const inObjects = new Set(['header', 'label', 'heading', 'placeholder']);

const literalOf = (node: SyntaxNode): unknown => (node.type === 'Literal' ? node['value'] : undefined);

/** The literals between which an expression chooses, as in `{isOn ? 'On' : 'Off'}`. */
function chosenIn({ type, ...parts }: SyntaxNode): unknown[] {
  if (type === 'JSXExpressionContainer') return chosenIn(parts['expression'] as SyntaxNode);
  if (type === 'ConditionalExpression')
    return [...chosenIn(parts['consequent'] as SyntaxNode), ...chosenIn(parts['alternate'] as SyntaxNode)];
  if (type === 'LogicalExpression') return chosenIn(parts['right'] as SyntaxNode);
  return type === 'Literal' ? [parts['value']] : [];
}

/** The texts in the source of a component that people read: between tags, and in attributes. */
function textsIn(source: string): string[] {
  const texts: string[] = [];
  const add = (value: unknown) => {
    if (typeof value === 'string' && isWord(value)) texts.push(value.trim());
  };
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type, ...parts } = node as SyntaxNode;
    if (type === 'JSXText') add(parts['value']);
    if (type === 'JSXElement' || type === 'JSXFragment')
      for (const child of parts['children'] as SyntaxNode[]) chosenIn(child).forEach(add);
    if (type === 'Property' && inObjects.has(String((parts['key'] as SyntaxNode)['name']))) add(literalOf(parts['value'] as SyntaxNode));
    if (type === 'JSXAttribute') {
      const [name, value] = [parts['name'] as SyntaxNode, parts['value'] as SyntaxNode | null];
      const literal = value?.type === 'JSXExpressionContainer' ? (value['expression'] as SyntaxNode) : value;
      if (readable.has(String(name['name'])) && literal?.type === 'Literal') add(literal['value']);
    }
    Object.values(parts).forEach(walk);
  };
  walk(parseAst(source, { lang: 'tsx' }));
  return texts;
}

it('finds texts between tags and in attributes', () => {
  const source =
    'const a = <p title="Close" id="one">Hello <b>{t.name}</b> · <input placeholder={"Name"} aria-label={t.label} /> 12 % {on ? "On" : t.off}</p>; const b = { header: "State", id: "state" };';
  expect(textsIn(source)).toEqual(['On', 'Close', 'Hello', 'Name', 'State']);
});

it('has every text of the portal in the catalogue', () => {
  const portal = join(import.meta.dirname, '../portal/src');
  const files = readdirSync(portal, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.tsx') && !/\.test\.|testing\//.test(name),
  );
  const outside = files.flatMap((name) => textsIn(readFileSync(join(portal, name), 'utf8')).map((text) => `${name}: ${text}`));
  expect(outside).toEqual([]);
});
