/** Reads the XML of exports and of senders of check results: elements, of which the lists are known by their names. */
import type { ForeignItem } from './reading.ts';

const deepest = 40;
const maxElements = 500_000;

/** Elements that contain a list, whatever their children are called. */
const lists: ReadonlySet<string> = new Set([
  'checkresults',
  'hosts',
  'host_groups',
  'template_groups',
  'groups',
  'templates',
  'interfaces',
  'tags',
  'items',
  'triggers',
  'macros',
  'dependencies',
  'discovery_rules',
  'trigger_prototypes',
  'item_prototypes',
]);

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      if (named[name] === undefined) throw new Error(`the entity ${whole} is not read`);
      return named[name];
    }
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}

interface Open {
  name: string;
  children: [string, unknown][];
  text: string;
}

function valueOf({ name, children, text }: Open): unknown {
  if (lists.has(name)) return children.map(([, value]) => value);
  if (children.length === 0) return text.trim();
  return Object.fromEntries(children.filter(([key]) => key !== '__proto__'));
}

const token = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*)(?:\s[^<>]*?)?(\/?)>|<|[^<]+/g;

/** Throws an `Error` with what is wrong, for text that is no such XML. Attributes and entities of a document type are never read. */
export function parseXml(text: string): ForeignItem {
  const root: Open = { name: '', children: [], text: '' };
  const open: Open[] = [root];
  let elements = 0;
  const close = (name: string): void => {
    const element = open.pop();
    const parent = open.at(-1);
    if (!element || !parent || element.name !== name) throw new Error(`</${name}> closes nothing`);
    parent.children.push([name, valueOf(element)]);
  };
  for (const [whole, data, slash, name, alone] of text.matchAll(token)) {
    const top = open.at(-1) ?? root;
    if (data !== undefined) top.text += data;
    else if (name === undefined) {
      if (whole === '<') throw new Error('it has a document type or an unfinished element, which is not read');
      if (!whole.startsWith('<')) top.text += decoded(whole);
    } else if (slash === '/') close(name);
    else {
      elements += 1;
      if (elements > maxElements || open.length > deepest) throw new Error('it has too many elements');
      open.push({ name, children: [], text: '' });
      if (alone === '/') close(name);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  if (root.children.length === 0) throw new Error('it has no elements');
  return Object.fromEntries(root.children);
}
