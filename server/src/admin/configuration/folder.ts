/** The folder of `config export`, `config plan` and `config apply`: YAML files, and the schemas of their kinds for editors. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { textOfFile } from '@cloudfit/contract/configuration/file-text.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { parseAllDocuments, stringify } from 'yaml';
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
      return content === null ? [] : [content];
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

/** Writes the files, and removes those of an earlier export that are no longer among them. `parts`: kinds without a schema. */
export async function writeFolder(folder: string, files: readonly CodeFile[], parts: readonly string[]): Promise<void> {
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
  for (const file of files) {
    const target = join(folder, file.path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, textOf(file, kinds));
  }
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
