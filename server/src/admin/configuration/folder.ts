/** The folder of `config export`, `config plan` and `config apply`: YAML files, and the schemas of their kinds for editors. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { textOfFile } from '@cloudfit/contract/configuration/file-text.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { CodeFile } from '../../features/configuration/code/code.ts';
import { codeSchemas } from '../../features/configuration/code/schemas.ts';
import { UsageError } from '../command.ts';

const schemaFolder = '.schema';
/** A thing is a few kilobytes. */
const maxFileBytes = 5 * 1024 ** 2;

function textOf({ path, content }: CodeFile, kinds: ReadonlySet<string>): string {
  const kind = String(content['kind']);
  const up = '../'.repeat(path.split('/').length - 1);
  const schema = kinds.has(kind) ? `# yaml-language-server: $schema=${up}${schemaFolder}/${kind}.json\n` : '';
  return schema + stringify(content, { lineWidth: 120, aliasDuplicateObjects: false });
}

async function yamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new UsageError(`The folder ${folder} cannot be read: ${error.message}.`);
  });
  return entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && /\.ya?ml$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .toSorted();
}

/** Texts in the form in which they are stored, because some programs write the accent of a letter as a character of its own. */
function inNormalForm(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC');
  if (Array.isArray(value)) return value.map(inNormalForm);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inNormalForm(part)]));
}

/** The documents of a file: most have one, as `config export` writes them. */
async function documentsOf(folder: string, path: string): Promise<unknown[]> {
  const file = join(folder, path);
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes)
      throw new Error(`it has ${Math.ceil(size / 1024 ** 2)} MiB; a thing has at most ${maxFileBytes / 1024 ** 2} MiB`);
    const documents = parseAllDocuments(textOfFile(await readFile(file)), { merge: true });
    return [...documents].flatMap((document) => {
      const [fault] = [...document.errors, ...document.warnings];
      if (fault) throw fault;
      const content: unknown = document.toJS();
      // Dashes after the last document begin an empty one.
      return content === null ? [] : [inNormalForm(content)];
    });
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be read as YAML: ${messageOf(error)}`);
  }
}

/** Whether the file has things of these kinds alone. Others in the folder are not part of the configuration. */
async function isOfKinds(folder: string, path: string, kinds: ReadonlySet<string>): Promise<boolean> {
  const contents = await documentsOf(folder, path).catch(() => []);
  const isOne = (content: unknown): boolean =>
    typeof content === 'object' && content !== null && 'kind' in content && kinds.has(String(content.kind));
  return contents.length > 0 && contents.every(isOne);
}

/** What somebody wrote into a file beside its content: comments, other than that for editors. */
const comments = /^[ \t]*#(?! yaml-language-server:)|[ \t]#[ \t]/m;

/** Writes a file, unless it says the same already in the words of people. Returns whether comments in it are lost. */
async function writeFileOf(folder: string, file: CodeFile, kinds: ReadonlySet<string>): Promise<boolean> {
  const target = join(folder, file.path);
  const text = textOf(file, kinds);
  const before = await readFile(target)
    .then((bytes) => textOfFile(bytes))
    .catch(() => undefined);
  if (before === text) return false;
  if (before !== undefined) {
    const [content, another] = await documentsOf(folder, file.path).catch(() => []);
    if (another === undefined && isDeepStrictEqual(content, parse(text))) return false;
  }
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  return before !== undefined && comments.test(before);
}

/**
 * Writes the files, and removes those of an earlier export that are no longer among them. `parts`: kinds without a schema. Returns the files
 * whose comments are lost, because their things have changed here.
 */
export async function writeFolder(folder: string, files: readonly CodeFile[], parts: readonly string[]): Promise<string[]> {
  await mkdir(join(folder, schemaFolder), { recursive: true }).catch((error: Error) => {
    throw new UsageError(`The folder ${folder} cannot be written: ${error.message}.`);
  });
  const schemas = codeSchemas();
  for (const [kind, schema] of Object.entries(schemas))
    await writeFile(join(folder, schemaFolder, `${kind}.json`), `${JSON.stringify(schema, null, 2)}\n`);
  const kinds = new Set(Object.keys(schemas));
  const paths = new Set(files.map(({ path }) => path));
  const all = new Set([...kinds, ...parts]);
  for (const path of await yamlFiles(folder)) if (!paths.has(path) && (await isOfKinds(folder, path, all))) await rm(join(folder, path));
  const lost: string[] = [];
  for (const file of files) if (await writeFileOf(folder, file, kinds)) lost.push(file.path);
  return lost;
}

export async function readFolder(folder: string): Promise<CodeFile[]> {
  const files: CodeFile[] = [];
  for (const path of await yamlFiles(folder))
    for (const [at, content] of (await documentsOf(folder, path)).entries()) {
      if (typeof content !== 'object' || content === null || !('kind' in content))
        throw new UsageError(`The file ${path} has no kind. Begin it with a line such as: kind: rules`);
      files.push({ path: at === 0 ? path : `${path} (part ${at + 1})`, content: content as CodeFile['content'] });
    }
  if (files.length === 0) throw new UsageError(`The folder ${folder} has no YAML files.`);
  return files;
}
