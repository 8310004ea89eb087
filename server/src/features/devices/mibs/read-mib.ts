/** Reads the objects of a MIB (SMIv1 and SMIv2), or says what is wrong in which line. */

/** An object with the object below which it hangs, or the first number of its identifier, and the numbers from there. */
export interface MibObject {
  name: string;
  parent: string;
  numbers: readonly string[];
  line: number;
}

export interface Mib {
  name: string;
  objects: readonly MibObject[];
  /** The module from which an object is imported, by the name of the object. */
  imports: ReadonlyMap<string, string>;
}

export interface MibFault {
  line: number;
  message: string;
}

const kinds =
  'OBJECT-TYPE|MODULE-IDENTITY|OBJECT-IDENTITY|NOTIFICATION-TYPE|OBJECT-GROUP|NOTIFICATION-GROUP|MODULE-COMPLIANCE|AGENT-CAPABILITIES|TRAP-TYPE';
/** Also the traps of SMIv1, each of which has a number below its enterprise (RFC 1215). */
const declared = new RegExp(`(?<![\\w-])([a-z][\\w-]*)\\s+(?:(OBJECT\\s+IDENTIFIER)(?=\\s*::=)|(?:${kinds})(?![\\w-]))`, 'g');
const header = /(?<![\w-])([A-Z][\w-]*)\s+DEFINITIONS(?:\s+[A-Z]+\s+TAGS)?\s*::=\s*BEGIN(?![\w-])/;
const macros = /(?<![\w-])MACRO\s*::=\s*BEGIN(?![\w-])[^]*?(?<![\w-])END(?![\w-])/g;
const enterprise = /(?<![\w-])ENTERPRISE\s+(?:\{([^{}]*)\}|([a-z][\w-]*))/;
const value = /^\s*\{([^{}]*)\}/;
const part = /^(?:(\d+)|([a-z][\w-]*)(?:\s*\(\s*(\d+)\s*\))?)$/;

/** Replaces a text by blanks in as many lines. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** Returns the text without comments and quoted texts, each of which becomes blanks, or the place of a text without an end. */
function plainOf(text: string): string | { openAt: number } {
  const plain = text.replaceAll(/"[^"]*"|--[^\n]*?(?=--|\n|$)(?:--)?/g, blank);
  const openAt = plain.indexOf('"');
  return openAt < 0 ? plain : { openAt };
}

/** Takes the imports out of a plain text. */
function importsOf(plain: string): { imports: Map<string, string>; rest: string } {
  const imports = new Map<string, string>();
  const from = plain.search(/(?<![\w-])IMPORTS(?![\w-])/);
  const to = from < 0 ? -1 : plain.indexOf(';', from);
  if (to < 0) return { imports, rest: plain };
  const all = plain.slice(from, to + 1);
  const names: string[] = [];
  let isModule = false;
  for (const word of all.slice('IMPORTS'.length, -1).split(/[\s,]+/)) {
    if (isModule) for (const name of names.splice(0)) imports.set(name, word);
    else if (word !== 'FROM') names.push(word);
    isModule = !isModule && word === 'FROM';
  }
  return { imports, rest: plain.slice(0, from) + blank(all) + plain.slice(to + 1) };
}

/** Splits `iso org(3) 6`; undefined if a part is none. */
function placeOf(text: string): { parent: string; numbers: string[] } | undefined {
  const parts = text
    .trim()
    .replaceAll(/\s*\(\s*/g, '(')
    .split(/\s+/)
    .map((text) => part.exec(text));
  const [first, ...rest] = parts;
  if (!first || rest.some((candidate) => candidate === null || (candidate[1] ?? candidate[3]) === undefined)) return undefined;
  const parent = first[1] ?? first[3] ?? first[2] ?? '';
  return { parent, numbers: rest.map((item) => item?.[1] ?? item?.[3] ?? '') };
}

/** The place of a trap of SMIv1. A zero stands between an enterprise and its traps (RFC 3584, 3). */
function placeOfTrap(body: string, at: number): { parent: string; numbers: string[] } | undefined {
  const [number] = (at < 0 ? null : /^\s*\d+/.exec(body.slice(at + 3))) ?? [];
  const [, inside, name] = enterprise.exec(body) ?? [];
  const place = placeOf(inside ?? name ?? '');
  return place?.parent && number !== undefined ? { ...place, numbers: [...place.numbers, '0', number.trim()] } : undefined;
}

/** How many of the line ends, in their order, are before a place. */
function linesBefore(ends: readonly number[], at: number): number {
  let [from, to] = [0, ends.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ends[middle] ?? 0) < at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Reads the first module of the text. */
export function readMib(text: string): Mib | { faults: readonly MibFault[] } {
  const ends = Array.from(text.matchAll(/\n/g), ({ index }) => index);
  const lineAt = (at: number): number => linesBefore(ends, at) + 1;
  const plain = plainOf(text);
  if (typeof plain !== 'string')
    return { faults: [{ line: lineAt(plain.openAt), message: 'The text that begins here has no closing quotation mark.' }] };
  const begin = header.exec(plain);
  if (!begin) return { faults: [{ line: 1, message: 'A MIB begins with its name and DEFINITIONS ::= BEGIN.' }] };
  if (!/(?<![\w-])END\s*$/.test(plain))
    return { faults: [{ line: lineAt(text.trimEnd().length), message: 'The MIB does not end with END; perhaps the file was cut.' }] };
  const faults: MibFault[] = [];
  const { imports, rest } = importsOf(plain.replaceAll(macros, blank));
  const objects: MibObject[] = [];
  const declarations = [...rest.matchAll(declared)];
  for (const [nth, match] of declarations.entries()) {
    const [all, name = ''] = match;
    const line = lineAt(match.index);
    const body = rest.slice(match.index + all.length, declarations[nth + 1]?.index ?? rest.length);
    const at = body.indexOf('::=');
    if (all.endsWith('TRAP-TYPE')) {
      const place = placeOfTrap(body, at);
      if (place) objects.push({ name, ...place, line });
      else faults.push({ line, message: `The trap ${name} needs its ENTERPRISE and a number, such as ::= 3.` });
      continue;
    }
    const [, inside] = (at < 0 ? null : value.exec(body.slice(at + 3))) ?? [];
    const place = inside === undefined ? undefined : placeOf(inside);
    if (at < 0) faults.push({ line, message: `${name} has no value: ::= { ... } is missing.` });
    else if (!place) faults.push({ line, message: `The value of ${name} is not an object and a number, such as { system 3 }.` });
    else objects.push({ name, ...place, line });
  }
  if (objects.length === 0 && faults.length === 0) faults.push({ line: 1, message: 'The MIB declares no objects.' });
  return faults.length > 0 ? { faults } : { name: begin[1] ?? '', objects, imports };
}
