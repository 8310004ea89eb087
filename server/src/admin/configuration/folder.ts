/** The folder of `config export`, `config plan` and `config apply`: YAML files, and the schemas of their kinds for editors. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { parse, stringify } from 'yaml';
import type { CodeFile } from '../../features/configuration/code/code.ts';
import { codeSchemas } from '../../features/configuration/code/schemas.ts';
import { UsageError } from '../command.ts';

const schemaFolder = '.schema';

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
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .toSorted();
}

/** Writes the files, and removes YAML files of an earlier export that are no longer among them. */
export async function writeFolder(folder: string, files: readonly CodeFile[]): Promise<void> {
  await mkdir(join(folder, schemaFolder), { recursive: true }).catch((error: Error) => {
    throw new UsageError(`The folder ${folder} cannot be written: ${error.message}.`);
  });
  const schemas = codeSchemas();
  for (const [kind, schema] of Object.entries(schemas))
    await writeFile(join(folder, schemaFolder, `${kind}.json`), `${JSON.stringify(schema, null, 2)}\n`);
  const kinds = new Set(Object.keys(schemas));
  const paths = new Set(files.map(({ path }) => path));
  for (const path of await yamlFiles(folder)) if (!paths.has(path)) await rm(join(folder, path));
  for (const file of files) {
    const target = join(folder, file.path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, textOf(file, kinds));
  }
}

export async function readFolder(folder: string): Promise<CodeFile[]> {
  const files: CodeFile[] = [];
  for (const path of await yamlFiles(folder)) {
    let content: unknown;
    try {
      content = parse(await readFile(join(folder, path), 'utf8'));
    } catch (error) {
      throw new UsageError(`The file ${path} is not YAML: ${messageOf(error)}`);
    }
    if (typeof content !== 'object' || content === null || !('kind' in content))
      throw new UsageError(`The file ${path} has no kind. Begin it with a line such as: kind: rules`);
    files.push({ path, content: content as CodeFile['content'] });
  }
  if (files.length === 0) throw new UsageError(`The folder ${folder} has no YAML files.`);
  return files;
}
