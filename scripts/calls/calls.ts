/**
 * `npm run calls` writes `contract/src/calls.ts`: each declared call as a constant that brings no schema with it. Without
 * `write`, only checks that the file is current.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Action } from '../../contract/src/action.ts';

const folder = join(import.meta.dirname, '../../contract/src');
const target = join(folder, 'calls.ts');

const head = `/**
 * Every declared call as a constant \`METHOD path\`, typed by its declaration; one imports only the constants that one uses.
 * Written by \`npm run calls\`.
 */
import type { CallTo } from './call.ts';
`;

interface DeclaredCall {
  /** The name that the declaration is exported by. */
  name: string;
  action: Action;
  /** The file, relative to the contract's sources. */
  file: string;
}

function isAction(value: unknown): value is Action {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'input' in value && 'access' in value;
}

/** Returns the declared calls of the contract, by file and name. */
export async function declaredCalls(): Promise<DeclaredCall[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && /\bdefine(?:Action|List)\(/.test(read(file)))
    .filter((file) => file !== 'action.ts')
    .sort();
  const calls: DeclaredCall[] = [];
  for (const file of files) {
    const exported = (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported).sort(([a], [b]) => (a < b ? -1 : 1)))
      if (isAction(value)) calls.push({ name, action: value, file });
  }
  return calls;
}

const read = (file: string) => readFileSync(join(folder, file), 'utf8');

/** A name for the import of a file: `actions/work-units/by-key.ts` becomes `WorkUnitsByKey`. */
const aliasOf = (file: string) =>
  file
    .replace(/^actions\//, '')
    .replace(/\.ts$/, '')
    .replaceAll(/(?:^|[/.-])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the content of `calls.ts`. */
export function callsText(calls: readonly DeclaredCall[]): string {
  const imports = [...new Set(calls.map(({ file }) => file))].map((file) => `import type * as ${aliasOf(file)} from './${file}';\n`);
  const constants = calls.map(
    ({ name, action, file }) => `export const ${name} = '${action.method} ${action.path}' as CallTo<typeof ${aliasOf(file)}.${name}>;\n`,
  );
  return `${head}${imports.join('')}\n${constants.join('')}`;
}

if (process.argv[1] === import.meta.filename) {
  const text = callsText(await declaredCalls());
  if (process.argv.includes('write')) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.log('contract/src/calls.ts does not have the declared calls. Run `npm run calls`.');
    process.exitCode = 1;
  }
}
