/** `npm run spec`: counts the requirements with a test, per area. `-- --missing WU` lists those of an area without a test. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');

interface Requirement {
  id: string;
  area: string;
  text: string;
}

/** Returns the requirement ids in a text, such as `it('[WU-034][WU-035] ...')`. */
export function findIds(source: string): string[] {
  return [...source.matchAll(/\[([A-Z]{2,5}-\d{3})\]/g)].map((match) => match[1] ?? '');
}

export function readRequirements(table: string): Requirement[] {
  const [, ...lines] = table.split('\n').filter(Boolean);
  return lines.map((line) => {
    const [id = '', area = '', , text = ''] = line.split('\t');
    return { id, area, text };
  });
}

function main(): void {
  const { values, positionals } = parseArgs({ options: { missing: { type: 'string' } }, allowPositionals: true });
  const path = resolve(root, positionals[0] ?? process.env['SPEC_FILE'] ?? '../shared/spec/requirements.tsv');
  if (!existsSync(path)) {
    console.log(
      `The requirements are not part of this repository and not at ${path}: name their file, npm run spec -- path/to/requirements.tsv.`,
    );
    return;
  }
  const requirements = readRequirements(readFileSync(path, 'utf8'));
  const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.test.ts', '*.test.tsx', 'e2e/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
  const tested = new Set(tests.flatMap((test) => findIds(readFileSync(join(root, test), 'utf8'))));
  const titles = new Set(requirements.map(({ id }) => id));

  if (values.missing !== undefined) {
    const area = values.missing.toUpperCase();
    for (const { id, text } of requirements.filter((r) => r.area === area && !tested.has(r.id))) console.log(`${id}  ${text}`);
  } else {
    for (const [area, rows] of Map.groupBy(requirements, (r) => r.area)) print(area, rows, tested);
    print('all', requirements, tested);
  }
  for (const id of [...tested].filter((id) => !titles.has(id)).sort()) {
    console.log(`A test carries ${id}, which is not a requirement.`);
    process.exitCode = 1;
  }
}

function print(name: string, rows: readonly Requirement[], tested: ReadonlySet<string>): void {
  const count = rows.filter(({ id }) => tested.has(id)).length;
  console.log(
    `${name.padEnd(8)}${String(count).padStart(5)} of ${String(rows.length).padStart(5)}  ${String(Math.floor((100 * count) / rows.length)).padStart(3)} %`,
  );
}

if (process.argv[1] === import.meta.filename) main();
