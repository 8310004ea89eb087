/** Checks the size of the engine and of folders, and how often each option of a declaration is used. Prints the figures. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

export interface SourceFile {
  path: string;
  text: string;
}

/** The size of a part of the engine when it was last recorded, and what its last growth was for. */
export interface RecordedSize {
  lines: number;
  files: number;
  reason: string;
}

/**
 * The parts of the engine: each a folder with its subfolders, without tests. A part may grow by `growth` before somebody has to
 * simplify it, or record the new size with a reason.
 */
const engines: Readonly<Record<string, RecordedSize>> = {
  'server/src/resources': { lines: 1_824, files: 19, reason: 'one form of all texts; rows of disabled tenants say so' },
  'server/src/query': { lines: 1_521, files: 11, reason: 'the search of own requests corrects typing errors' },
  'portal/src/resource': { lines: 1_245, files: 19, reason: 'a panel says that its row is managed in Git' },
  'portal/src/calls': { lines: 195, files: 4, reason: 'messages of commands name the tenant of what they are about' },
  'portal/src/filters': { lines: 851, files: 12, reason: 'a list opens with the view that a person has chosen' },
  'portal/src/forms': { lines: 670, files: 9, reason: 'a list of texts is one field' },
  'portal/src/rows': { lines: 491, files: 8, reason: 'one part says why something could not be read' },
};

/** How much a part may grow beyond its recorded size: room for a change, so that nobody packs lines to stay below a number. */
const growth = 1.05;

const maxFilesPerFolder = 30;

/** Folders that may have more files, because they have one file per entity, or per screen's texts. */
const lists = ['contract/src/resources', 'contract/src/messages'];

const minUsers = 3;

/** A newcomer reads the overview at once; what one subject alone needs belongs to `docs/subjects/`. */
const overview = { path: 'docs/ARCHITECTURE.md', words: 2_000 };

/** Files that declare views, some inside functions: separate files, and files of pages and panels that show the views. */
const views = /^portal\/src\/features\/.*(?:\.view|-page|-panel)\.tsx$/;

/** Interfaces of declarations, their files, the files that use them (`users`), and the levels of indentation that count. */
const declarations = [
  { name: 'Resource', path: 'contract/src/resource.ts', users: /^contract\/src\/resources\/.*\.ts$/, levels: 1 },
  { name: 'View', path: 'portal/src/resource/view.ts', users: views, levels: 2 },
  { name: 'Listing', path: 'portal/src/filters/listing.ts', users: views, levels: 2 },
  { name: 'Served', path: 'server/src/resources/served.ts', users: /^server\/src\/features\/.*\.served\.ts$/, levels: 1 },
];

const isTest = (path: string): boolean => /\.(?:test|spec)\.tsx?$/.test(path);

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns the figures of a part of the engine, and the fault if it has grown beyond its recorded size. */
export function judgeEngine(folder: string, recorded: RecordedSize, files: readonly SourceFile[]) {
  const sources = files.filter(({ path }) => path.startsWith(`${folder}/`) && !isTest(path));
  const lines = sources.reduce((sum, { text }) => sum + lineCount(text), 0);
  const percent = Math.round((lines / recorded.lines - 1) * 100);
  const figures = `${folder}: ${lines} lines (${percent >= 0 ? '+' : ''}${percent} % of ${recorded.lines}), ${sources.length} files (${recorded.files})`;
  const isLarger = lines > recorded.lines * growth || sources.length > Math.ceil(recorded.files * growth);
  return {
    figures,
    fault: isLarger
      ? `${figures}. Simplify it, move a part to a feature, or record the new size with its reason in scripts/budgets.ts.`
      : undefined,
  };
}

/** Returns a fault for each folder with too many source files. */
export function judgeFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) if (!isTest(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > maxFilesPerFolder && !lists.includes(folder))
    .map(([folder, count]) => `${folder} has ${count} source files; at most ${maxFilesPerFolder}. Split it by subject.`);
}

/** Returns the fault of an overview that is too long; every word counts, also those of the diagrams. */
export function judgeOverview(text: string, limit = overview.words): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return words > limit ? [`${overview.path} has ${words} words; at most ${limit}. Move what one subject needs to docs/subjects.`] : [];
}

/** Returns the names of the optional members of an interface. */
export function optionsOf(name: string, text: string): string[] {
  const start = text.search(new RegExp(`^export interface ${name}\\b`, 'm'));
  const body = text.slice(start, text.indexOf('\n}\n', start));
  return [...body.matchAll(/^ {2}(\w+)\?[:(]/gm)].map((match) => match[1] ?? '');
}

/** Counts how often `texts` set an option of a declaration: at the outer `levels`, or in a declaration of one line. */
export function countUsers(option: string, texts: readonly string[], levels = 1): number {
  const uses = new RegExp(`^(?: {2}){1,${levels}}(?:async )?${option}(?:[:(]|,$)|\\{ (?:async )?${option}[:( ]`, 'gm');
  return texts.reduce((sum, text) => sum + [...text.matchAll(uses)].length, 0);
}

function judgeOptions(files: readonly SourceFile[]): { figures: string; faults: string[] }[] {
  return declarations.map(({ name, path, users, levels }) => {
    const declared = files.find((file) => file.path === path);
    if (!declared) return { figures: '', faults: [`${path} is missing.`] };
    const texts = files.filter((file) => users.test(file.path)).map(({ text }) => text);
    const counts = optionsOf(name, declared.text).map((option) => [option, countUsers(option, texts, levels)] as const);
    return {
      figures: `${name}: ${counts.map(([option, count]) => `${option} ${count}`).join(', ')}`,
      faults: counts
        .filter(([, count]) => count < minUsers)
        .map(
          ([option, count]) => `${name}.${option} has ${count} users; an option needs ${minUsers}. Move it to the features that need it.`,
        ),
    };
  });
}

if (process.argv[1] === import.meta.filename) {
  const listing = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const paths = listing.split('\n').filter((path) => /\.(?:tsx?|mjs)$/.test(path));
  const files = paths
    .filter(
      (path) =>
        Object.keys(engines).some((folder) => path.startsWith(folder)) || declarations.some((d) => d.path === path || d.users.test(path)),
    )
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const halves = Object.entries(engines).map(([folder, recorded]) => judgeEngine(folder, recorded, files));
  const options = judgeOptions(files);
  for (const { figures } of [...halves, ...options]) console.log(figures);
  const faults = [
    ...halves.flatMap(({ fault }) => fault ?? []),
    ...judgeFolders(paths),
    ...judgeOverview(readFileSync(join(root, overview.path), 'utf8')),
    ...options.flatMap((option) => option.faults),
  ];
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
