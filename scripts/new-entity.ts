/** Creates the texts of the files of a new entity, which CONTRIBUTING describes under "A new entity". */

/** The reason why an entity cannot be created, for the person who named the entity. */
export class EntityNameError extends Error {
  override name = 'EntityNameError';
}

export interface EntityNames {
  /** `Maintenance Window`, for texts. */
  label: string;
  /** `Maintenance Windows` */
  plural: string;
  /** `maintenanceWindows`: the set's name in the API and the constant of the declaration. */
  set: string;
  /** `MaintenanceWindows` */
  area: string;
  /** `maintenanceWindow` */
  singular: string;
  /** `maintenance_window` */
  table: string;
  /** `maintenance-windows`: for files and folders. */
  file: string;
  /** `maintenancewindows`: the address of the screen. */
  path: string;
}

export interface Sources {
  /** The text of a file of the repository; undefined when it does not exist. */
  read(path: string): string | undefined;
  /** The paths of the files in a folder and its subfolders, relative to the folder. */
  list(folder: string): readonly string[];
}

export interface EntityFile {
  path: string;
  text: string;
  isNew: boolean;
}

/** Words that PostgreSQL does not accept as an unquoted table name: categories R and T of `pg_get_keywords()`. */
const reservedWords = new Set(
  'all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with'.split(
    ' ',
  ),
);

/** Returns all spellings of an entity's name, derived from the singular. Throws when the name cannot be used. */
export function nameEntity(name: string, givenPlural?: string): EntityNames {
  requirePascalCase(name, 'NAME');
  if (givenPlural !== undefined) requirePascalCase(givenPlural, 'PLURAL');
  if (/[^siu]s$/.test(name) && givenPlural === undefined)
    throw new EntityNameError(
      `"${name}" looks like a plural. Write the singular, such as ${name.slice(0, -1)}. If "${name}" is the singular, add its plural: --plural PLURAL.`,
    );
  const area = givenPlural ?? pluralOf(name);
  if (area === name) throw new EntityNameError(`The plural of "${name}" has to differ from its singular.`);
  const words = wordsOf(name);
  const table = words.join('_').toLowerCase();
  if (reservedWords.has(table))
    throw new EntityNameError(`"${table}" is a reserved word of SQL. Choose another name, such as Customer${name}.`);
  return {
    label: words.join(' '),
    plural: wordsOf(area).join(' '),
    set: lowerFirst(area),
    area,
    singular: lowerFirst(name),
    table,
    file: wordsOf(area).join('-').toLowerCase(),
    path: area.toLowerCase(),
  };
}

const pascalCase = /^([A-Z][a-z\d]+)+$/;

function requirePascalCase(text: string, what: string): void {
  if (pascalCase.test(text) && text.length <= 40) return;
  const words = text.split(/[^A-Za-z\d]+/).filter((word) => /^[A-Za-z]/.test(word));
  const suggestion = words.map(capitalize).join('').slice(0, 40);
  throw new EntityNameError(
    `${what} "${text}" cannot be used. Write it in PascalCase with letters and digits, at most 40 of them, such as ${pascalCase.test(suggestion) ? suggestion : 'Vendor'}.`,
  );
}

/** Converts a word to PascalCase: `SLA` to `Sla`, `IPAddress` to `IpAddress`. */
function capitalize(word: string): string {
  const text = word.slice(0, 1).toUpperCase() + word.slice(1);
  return text.replaceAll(/[A-Z]{2,}(?=[A-Z][a-z]|[^A-Za-z]|$)/g, (letters) => letters.slice(0, 1) + letters.slice(1).toLowerCase());
}

const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])/);
const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

/** Returns the regular plural of an English word. */
function pluralOf(name: string): string {
  if (name.endsWith('sis')) return `${name.slice(0, -2)}es`;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

/** Returns the new files, and the files with a new line in a list. Throws when the entity, or a part of it, exists. */
export function entityFiles(names: EntityNames, sources: Sources): EntityFile[] {
  requireFree(names, sources);
  const { set, area, file, path, table } = names;
  const migration = nextMigration(sources);
  const created = [
    { path: `contract/src/resources/${file}.ts`, text: resourceOf(names) },
    { path: `contract/src/messages/${file}.en.ts`, text: textsOf(names) },
    { path: `contract/src/messages/${file}.de.ts`, text: germanTextsOf(names) },
    { path: `server/src/db/migrations/${migration}-${file}.sql`, text: migrationOf(names) },
    { path: `server/src/features/${file}/${file}.served.ts`, text: servedOf(names) },
    { path: `portal/src/features/${file}/${file}-page.tsx`, text: pageOf(names) },
  ];
  const key = freeKey(names, sources);
  const changed: [path: string, ...edits: ListEdit[]][] = [
    [
      'contract/src/resources/registry.ts',
      { line: `import { ${set} } from './${file}.ts';\n`, before: '\nconst declared = [' },
      { line: `  ${set},\n`, before: '] as const;' },
    ],
    ['contract/src/permissions.ts', { line: `  '${area}',\n`, before: '] as const;' }],
    ['contract/src/messages/en.ts', { line: `      ${set}: '${names.plural}',\n`, before: '    },', from: '    items: {' }],
    ['contract/src/messages/de.ts', { line: `      ${set}: '${names.plural}',\n`, before: '    },', from: '    items: {' }],
    [
      'contract/src/messages/labels.de.ts',
      { line: `\n${labelsOf(names, sources).trimEnd()}`, before: '\n};', from: 'export const labels' },
    ],
    [
      'server/src/app/served.ts',
      { line: `import { served${area} } from '../features/${file}/${file}.served.ts';\n`, before: 'import type { AnyServed }' },
      { line: `  served${area},\n`, before: '];', from: 'const all' },
    ],
    [
      'server/src/testing/samples.ts',
      {
        line: `    case '${set}':\n      return { name, tenantId: home.tenantId };\n`,
        before: '    default:',
        from: 'async function sampleBody',
      },
    ],
    ['server/src/jobs/retention-rules.ts', { line: `  ${table}: untilDeleted,\n`, before: '\n  feature: fixed,', from: 'retentionRules' }],
    ['docs/OPERATIONS.md', { line: `, \`${table}\``, before: ' | as many as people make, until they delete them |' }],
    [
      'portal/src/app/router.tsx',
      {
        line: `  { path: '${path}', lazy: async () => ({ Component: (await import('../features/${file}/${file}-page.tsx')).${area}Page }) },\n`,
        before: '];',
        from: 'const screens',
      },
    ],
    [
      'portal/src/app/navigation.ts',
      {
        line: `      { path: '${path}',${key ? ` key: '${key}',` : ''} label: t.${set}, icon: 'star', needs: view('${area}') },\n`,
        before: '    ],',
        from: 'label: en.shell.menu,',
      },
    ],
  ];
  return [
    ...created.map((item) => ({ ...item, isNew: true })),
    ...changed.map(([to, ...edits]) => ({
      path: to,
      text: edits.reduce((text, edit) => insertLine(to, text, edit), sources.read(to) ?? ''),
      isNew: false,
    })),
  ];
}

interface ListEdit {
  line: string;
  /** The line is inserted before the first occurrence of this text, after `from`. */
  before: string;
  from?: string;
}

function insertLine(path: string, text: string, { line, before, from = '' }: ListEdit): string {
  const start = text.indexOf(from);
  const at = start < 0 ? -1 : text.indexOf(before, start + from.length);
  if (at < 0) throw new Error(`${path} has no "${before}" after "${from}": adapt scripts/new-entity.ts to the file.`);
  return text.slice(0, at) + line + text.slice(at);
}

function requireFree(names: EntityNames, sources: Sources): void {
  const registry = sources.read('contract/src/resources/registry.ts') ?? '';
  const schema = sources
    .list('server/src/db/migrations')
    .map((name) => sources.read(`server/src/db/migrations/${name}`) ?? '')
    .join('\n');
  const exists = (what: string) => new EntityNameError(`${what} exists. Choose another name.`);
  if (new RegExp(`^  ${names.set},$`, 'im').test(registry)) throw exists(`The entity ${names.set}`);
  if (new RegExp(`create (unlogged )?(table|view) ${names.table}\\b`, 'i').test(schema)) throw exists(`The table ${names.table}`);
  for (const path of [
    `contract/src/resources/${names.file}.ts`,
    `server/src/features/${names.file}/${names.file}.served.ts`,
    `portal/src/features/${names.file}/${names.file}-page.tsx`,
  ])
    if (sources.read(path) !== undefined) throw exists(`The file ${path}`);
  for (const [path, line] of [
    ['contract/src/permissions.ts', `'${names.area}',`],
    ['portal/src/app/navigation.ts', `path: '${names.path}'`],
    ['portal/src/app/router.tsx', `path: '${names.path}'`],
    ['contract/src/messages/en.ts', `      ${names.set}: `],
  ] as const)
    if (sources.read(path)?.includes(line)) throw exists(`${line.trim()} in ${path}`);
  const call = new RegExp(`path: '/v1/${names.set}[/'?]`, 'i');
  const declaration = sources
    .list('contract/src')
    .find((path) => path.endsWith('.ts') && call.test(sources.read(`contract/src/${path}`) ?? ''));
  if (declaration !== undefined) throw exists(`A call at /v1/${names.set} in contract/src/${declaration}`);
}

function nextMigration(sources: Sources): string {
  const numbers = sources.list('server/src/db/migrations').map((name) => Number(/^\d+/.exec(name)?.[0] ?? 0));
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0');
}

/** Returns a key for the `g` shortcut: a free letter of the name, otherwise any free letter or digit, if any. */
function freeKey({ path }: EntityNames, sources: Sources): string | undefined {
  const navigation = sources.read('portal/src/app/navigation.ts') ?? '';
  const used = new Set([...navigation.matchAll(/(?:key: |homeKey = )'(\w)'/g)].map((match) => match[1]));
  return `${path}abcdefghijklmnopqrstuvwxyz0123456789`.split('').find((letter) => !used.has(letter));
}

const resourceOf = ({
  set,
  label,
  plural,
  singular,
  area,
}: EntityNames): string => `import { defineResource, f, one, optional } from '../resource.ts';

/** ${plural} of a tenant. */
export const ${set} = defineResource({
  name: '${set}',
  label: '${label}',
  plural: '${plural}',
  key: '${singular}Id',
  title: 'name',
  area: '${area}',
  scope: { kind: 'tenant', field: 'tenantId' },
  verbs: ['list', 'create', 'update', 'delete'],
  orderBy: 'name asc',
  fields: {
    ${singular}Id: f.key('${label} ID'),
    name: f.text('Name', { required: true, search: true }),
    description: optional(f.text('Description', { input: 'multiline', max: 2_000 })),
    tenantId: f.ref('Tenant', 'tenants', { required: true }),
    created: f.timestamp('Created', { write: 'never' }),
    modified: f.timestamp('Modified', { write: 'never' }),
  },
  relations: { tenant: one('tenants', 'tenantId') },
});
`;

const textsOf = ({ label, singular }: EntityNames): string => `/** Texts of the screen of the entity ${label}. */
export const ${singular}Texts = {
  saveFailed: 'A problem occurred saving the ${label.toLowerCase()}. Please try again.',
  emptyText: 'Create the first one.',
} as const;
`;

const germanTextsOf = ({ label, singular, file }: EntityNames): string => `/** German texts of the screen of the entity ${label}. */
import type * as english from './${file}.en.ts';
import type { Texts } from './texts.ts';

export const ${singular}Texts: Texts<typeof english.${singular}Texts> = {
  saveFailed: '${label} konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',
  emptyText: 'Legen Sie den ersten Eintrag an.',
};
`;

/** The labels of the declaration that have no German yet. They are to be translated, as the entry of the menu is. */
function labelsOf(names: EntityNames, sources: Sources): string {
  const labels = sources.read('contract/src/messages/labels.de.ts') ?? '';
  return [...new Set([names.label, names.plural, `${names.label} ID`])]
    .filter((label) => !labels.includes(`\n  '${label}': `) && !labels.includes(`\n  ${label}: `))
    .map((label) => `  ${/^\w+$/.test(label) ? label : `'${label}'`}: '${label}',\n`)
    .join('');
}

const migrationOf = ({ table, plural }: EntityNames): string => `-- ${plural} of a tenant.
create table ${table} (
  tenant_id uuid not null references tenant,
  ${table}_id uuid not null default uuidv7() unique,
  name text not null,
  description text,
  created timestamptz(3) not null default now(),
  modified timestamptz(3) not null default now(),
  version int not null default 1,
  primary key (tenant_id, ${table}_id)
);
create index ${table}_tenant on ${table} (tenant_id, name, ${table}_id);
select secure_tenant_table('${table}');
grant select, insert, update, delete on ${table} to app_scoped, app_global;
`;

const servedOf = ({ set, area, table, file }: EntityNames): string => `import { ${set} } from '@cloudfit/contract/resources/${file}.ts';
import { serve } from '../../resources/served.ts';

export const served${area} = serve(${set}, '${table}');
`;

const pageOf = ({ set, area, singular, file }: EntityNames): string => `import { eq } from '@cloudfit/contract/query/build.ts';
import { ${set} } from '@cloudfit/contract/resources/${file}.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ${singular}Texts as t } from '@cloudfit/contract/messages/${file}.en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const ${set}View = defineView({
  resource: ${set},
  icon: 'star',
  texts: { title: en.shell.items.${set}, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: ['name', 'description', 'tenantId', 'modified'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? eq(${set}, 'tenantId', tenantId) : undefined],
  filters: ['name'],
});

export function ${area}Page() {
  return <ListPage view={${set}View} />;
}
`;
