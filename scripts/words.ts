/**
 * Finds banned words (scripts/banned-words.ts) in names, comments, docs and messages, and types that several files
 * declare under one name. `node scripts/words.ts` checks everything, `node scripts/words.ts server/src/http docs` only
 * these paths. Names are those that a file declares: variables, parameters, members, types, functions, the file itself.
 * Strings count as messages if they have several words and are not SQL; values of the API and of the database are
 * exempt.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync, Visitor, type Node } from 'oxc-parser';
import {
  bannedNames,
  bannedParts,
  bannedPrefixes,
  bannedProse,
  bannedTypes,
  besideOne,
  sharedTypeNames,
  useForOne,
} from './banned-words.ts';

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

interface TypeDeclaration {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** The declaration without comments and white space. */
  readonly content: string;
}

type NameKind = 'value' | 'type' | 'file';

const root = join(import.meta.dirname, '..');
const allRoots = ['contract', 'server', 'portal', 'agent', 'client', 'e2e', 'bench', 'scripts', 'docs', 'README.md', '*.ts'];

/** Files that contain banned words in order to list or explain these words. */
const exempt = ['scripts/banned-words.ts', 'scripts/words.test.ts', 'docs/GLOSSARY.md'];

/** Returns what to use instead of a banned name; undefined when the name is allowed. */
export function judgeName(name: string, kind: NameKind, path: string): string | undefined {
  const parts = splitName(name);
  const [first = ''] = parts;
  const banned =
    bannedParts.find(({ part, except }) => parts.includes(part) && !except?.test(path)) ??
    (parts.length > 1
      ? bannedPrefixes.find(({ prefix }) => first === prefix)
      : bannedNames.find((entry) => entry.name === first && !entry.except?.test(path))) ??
    (kind === 'type' ? bannedTypes.find((entry) => entry.name === name) : undefined);
  return banned?.use;
}

/** Splits `sendSparing`, `use-hand.ts` and `MAX_ROWS` into lower-case words. */
function splitName(name: string): string[] {
  return name
    .replace(/\.[\w.]+$/, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '');
}

/** Returns the banned words in a text, each with its offset. */
export function judgeProse(text: string, path: string): { readonly offset: number; readonly word: string; readonly use: string }[] {
  return bannedProse
    .filter(({ except }) => !except?.test(path))
    .flatMap(({ prose, use }) =>
      [...text.matchAll(new RegExp(prose.source, 'gi'))].map(({ index, 0: word }) => ({ offset: index, word, use })),
    );
}

/** Returns all findings in one source file, and the types that the file declares. */
export function readSource(path: string, source: string): { readonly hits: Hit[]; readonly types: TypeDeclaration[] } {
  const { program, comments } = parseSync(path, source);
  const lineAt = lineCounter(source);
  const hits: Hit[] = [];
  const types: TypeDeclaration[] = [];
  // Module augmentations: several files may extend one type of a library.
  const augmentations: { readonly start: number; readonly end: number }[] = [];
  const addName = (name: string, offset: number, kind: NameKind = 'value') => {
    const use = judgeName(name, kind, path);
    if (use) hits.push({ path, line: lineAt(offset), word: name, use });
  };
  const addProse = (text: string, start: number) => {
    for (const { offset, word, use } of judgeProse(text, path)) hits.push({ path, line: lineAt(start + offset), word, use });
  };
  const addMessage = (text: string, start: number) => {
    if (isMessage(text)) addProse(text, start);
  };
  const addPattern = (node: Node | null): void => {
    if (!node) return;
    if (node.type === 'Identifier') addName(node.name, node.start);
    else if (node.type === 'ObjectPattern') node.properties.forEach((entry) => addPattern(entry.type === 'Property' ? entry.value : entry));
    else if (node.type === 'ArrayPattern') node.elements.forEach(addPattern);
    else if (node.type === 'AssignmentPattern') addPattern(node.left);
    else if (node.type === 'RestElement') addPattern(node.argument);
  };
  const addParameters = (parameters: readonly Node[]) => {
    parameters.forEach(addPattern);
    const names = parameters
      .map((parameter) => (parameter.type === 'AssignmentPattern' ? parameter.left : parameter))
      .flatMap((parameter) => (parameter.type === 'Identifier' ? [parameter] : []));
    if (names.some(({ name }) => besideOne.includes(name))) return;
    for (const { name, start } of names) if (name === 'one') hits.push({ path, line: lineAt(start), word: name, use: useForOne });
  };
  const addFunction = (node: { readonly id: Node | null; readonly params: readonly Node[] }) => {
    addPattern(node.id);
    addParameters(node.params);
  };
  const addMember = ({ key }: { readonly key: Node }) => {
    if (key.type === 'Identifier') addName(key.name, key.start);
  };
  const addType = (node: { readonly id: { readonly name: string }; readonly start: number; readonly end: number }) => {
    addName(node.id.name, node.start, 'type');
    if (augmentations.some(({ start, end }) => node.start > start && node.end < end)) return;
    const content = withoutComments(source, comments, node).replaceAll(/\s+/g, '');
    types.push({ name: node.id.name, path, line: lineAt(node.start), content });
  };

  addName(basename(path), 0, 'file');
  for (const comment of comments) addProse(comment.value, comment.start + 2);
  new Visitor({
    VariableDeclarator: (node) => addPattern(node.id),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: (node) => addParameters(node.params),
    CatchClause: (node) => addPattern(node.param),
    ClassDeclaration: (node) => addPattern(node.id),
    ImportSpecifier: (node) => {
      if (node.local.start !== node.imported.start) addName(node.local.name, node.local.start);
    },
    MethodDefinition: addMember,
    PropertyDefinition: addMember,
    TSPropertySignature: addMember,
    TSMethodSignature: addMember,
    TSModuleDeclaration: (node) => {
      if (node.id.type === 'Literal') augmentations.push(node);
    },
    TSInterfaceDeclaration: addType,
    TSTypeAliasDeclaration: addType,
    Literal: (node) => {
      if (typeof node.value === 'string') addMessage(node.value, node.start + 1);
    },
    TemplateElement: (node) => addMessage(node.value.raw, node.start),
    JSXText: (node) => addMessage(node.value, node.start),
  }).visit(program);
  return { hits, types };
}

/** Returns the findings in a document. */
function readDocument(path: string, text: string): Hit[] {
  const lineAt = lineCounter(text);
  return judgeProse(text, path).map(({ offset, word, use }) => ({ path, line: lineAt(offset), word, use }));
}

/**
 * Returns the types that several files declare under one name with different content, at each place but the first. Types with
 * equal content are allowed.
 */
export function findSharedTypes(types: readonly TypeDeclaration[]): Hit[] {
  const byName = Map.groupBy(types, ({ name }) => name);
  return [...byName.values()].flatMap((declared) => {
    const [first] = declared;
    if (!first || sharedTypeNames.includes(first.name)) return [];
    return declared
      .filter(({ path, content }) => path !== first.path && content !== first.content)
      .map(({ name, path, line }) => ({
        path,
        line,
        word: name,
        use: `a qualified name: ${first.path}:${first.line} declares another type of this name`,
      }));
  });
}

/** Whether a string is a message: it has at least three words, and no line that begins with a keyword of SQL. */
function isMessage(text: string): boolean {
  return /\w+\W+\w+\W+\w/.test(text) && !/(^|\n)\s*(select|insert|update|delete|with|from|where|create|alter)\b/.test(text);
}

function withoutComments(
  source: string,
  comments: readonly { readonly start: number; readonly end: number }[],
  { start, end }: { readonly start: number; readonly end: number },
): string {
  let text = '';
  let from = start;
  for (const comment of comments) {
    if (comment.start < from || comment.end > end) continue;
    text += source.slice(from, comment.start);
    from = comment.end;
  }
  return text + source.slice(from, end);
}

function lineCounter(text: string): (offset: number) => number {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => breaks.filter((index) => index < offset).length + 1;
}

function isInPaths(path: string, paths: readonly string[]): boolean {
  return paths.length === 0 || paths.some((prefix) => path === prefix || path.startsWith(`${prefix.replace(/\/$/, '')}/`));
}

if (process.argv[1] === import.meta.filename) {
  const paths = process.argv.slice(2);
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...allRoots], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\n').filter((path) => /\.(tsx?|mjs|md)$/.test(path) && !path.endsWith('.d.ts') && !exempt.includes(path));
  const hits: Hit[] = [];
  const types: TypeDeclaration[] = [];
  for (const path of files) {
    const text = readFileSync(join(root, path), 'utf8');
    if (path.endsWith('.md')) hits.push(...readDocument(path, text));
    else {
      const read = readSource(path, text);
      hits.push(...read.hits);
      if (!path.includes('.test.')) types.push(...read.types);
    }
  }
  const shown = [...hits, ...findSharedTypes(types)].filter(({ path }) => isInPaths(path, paths));
  for (const { path, line, word, use } of shown) console.log(`${path}:${line}  ${word}  -> ${use}`);
  if (shown.length > 0)
    console.log(`${shown.length} banned words. The list stands in scripts/banned-words.ts, the reasons in docs/GLOSSARY.md.`);
  process.exitCode = shown.length > 0 ? 1 : 0;
}
