/** The German of what the server tells people: each message has one, and there is none that the server does not write. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { germanOf } from '../contract/src/messages/api-messages.de.ts';
import { serverForms, serverMessages } from '../contract/src/messages/server-messages.de.ts';

const server = join(import.meta.dirname, '../server/src');
/** Rooms and folders that speak to programs, agents and administrators of the machine alone. */
const toPrograms =
  /^(?:admin|app|db|demo|ingest|testing|platform)\/|^intake\/(?!listener|open-sources)|^http\/mcp\/|\/(?:scim|agent|operations\/agent.*|services)\/|^features\/mailboxes\/read|\.test\.ts$/;
const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !toPrograms.test(name));

/** What makes an error of the API of a text, and the place of the text. */
const makers: Readonly<Record<string, number>> = { ApiError: 1, forbidden: 0, tooManyRequests: 0, CellFault: 0, refuse: 0, need: 1 };

interface Node {
  type: string;
  [name: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The text of a literal or a template, with `{1}` for its first value. */
function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }, n) => (n === 0 ? '' : `{${n}}`) + value.cooked).join('');
}

function textsIn(node: unknown, sentences: string[] = []): string[] {
  if (Array.isArray(node)) for (const item of node) textsIn(item, sentences);
  if (!isNode(node)) return sentences;
  const name = (node['callee'] as { name?: string } | undefined)?.name ?? '';
  const key = node.type === 'Property' ? (node['key'] as { name?: string }).name : undefined;
  const texts =
    node.type === 'NewExpression' || node.type === 'CallExpression'
      ? [(node['arguments'] as unknown[])[makers[name] ?? -1]]
      : key === 'message'
        ? [node['value']]
        : [];
  for (const text of texts.map(textOf))
    if (text !== undefined && /\p{L}.* .*[.?!]$/u.test(text.replaceAll(/\{\d+\}/g, ''))) sentences.push(text);
  for (const value of Object.values(node)) if (typeof value === 'object') textsIn(value, sentences);
  return sentences;
}

const written = new Set(files.flatMap((name) => textsIn(parseSync(name, readFileSync(join(server, name), 'utf8')).program)));

it('has the German of each message', () => {
  expect(written.size).toBeGreaterThan(400);
  expect([...written].filter((text) => germanOf(text) === text)).toEqual([]);
});

it('has no German for what the server does not write', () => {
  // Some checks are in the contract, because forms make them too.
  const checks = ['rules', 'packages', 'policies'].map((name) => join(import.meta.dirname, '../contract/src', name));
  const all = [server, ...checks]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(name, 'utf8'))
    .join('\n');
  // A value stands for whatever the source has there; what is longest around the values tells one message from another.
  const longest = (text: string) => text.split(/\{\d+\}/).toSorted((one, other) => other.length - one.length)[0] ?? '';
  const inSource = (text: string) =>
    all.includes(text) || all.includes(text.replaceAll("'", "\\'")) || all.includes(text.replaceAll('`', '\\`'));
  expect(Object.keys(serverMessages).filter((text) => !inSource(text))).toEqual([]);
  expect(Object.keys(serverForms).filter((text) => !inSource(longest(text)))).toEqual([]);
});

it('says each value of a message in German too', () => {
  const valuesIn = (text: string) => [...new Set(text.match(/\{\d+\}/g))].toSorted();
  expect(Object.entries(serverForms).filter(([english, german]) => valuesIn(english).join('') !== valuesIn(german).join(''))).toEqual([]);
});
