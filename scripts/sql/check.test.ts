/** The check of statements on small sources: each error is found, and correct code passes. */
import { mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbedded } from '../../server/src/db/embedded/embedded.ts';
import { checkStatements } from './check.ts';

const schema = `create table vendor (vendor_id uuid primary key, name text not null, phone text, employees bigint not null, tags text[] not null, data jsonb);
create table contact (contact_id bigint primary key, vendor_id uuid not null references vendor, at timestamptz not null);
create table change (tenant_id uuid, verb text not null, entity text not null, entity_id text not null)`;

/** Each case is a file: its text after the first two lines, and the expected errors with their lines. */
const cases: Record<string, { source: string; faults: readonly string[] }> = {
  'accepts what fits': {
    source: `interface Vendor { vendor_id: string; name: string; phone: string | null; employees: number; tags: string[]; data: { a: number } | null; at: string }
const columns = 'vendor_id, name, phone, employees, tags, data';
export const read = (id: string) => db.query<Vendor>({ text: \`select \${columns}, at from vendor join contact using (vendor_id) where vendor_id = $1\`, values: [id] });`,
    faults: [],
  },
  'names a column that is not there, at its line': {
    source: `export const read = () => db.query<{ name: string }>({
  text: \`select name
    from vendor
    where nmae = 'x'\`,
});`,
    faults: ['6: column "nmae" does not exist, at "nmae = \'x\'"'],
  },
  'names a table that is not there': {
    source: `export const remove = () => db.defer({ text: 'delete from vendors' });`,
    faults: ['3: relation "vendors" does not exist, at "vendors"'],
  },
  'compares the type of a column': {
    source: `export const read = () => db.query<{ employees: string; tags: number[] }>({ text: 'select employees, tags from vendor' });`,
    faults: [
      '3: column employees is declared as string, and PostgreSQL answers int8, a number',
      '3: column tags is declared as number[], and PostgreSQL answers _text, a string[]',
    ],
  },
  'wants null where the table allows it': {
    source: `export const read = () => db.query<{ phone: string }>({ text: 'select phone from vendor' });
export const filtered = () => db.query<{ phone: string }>({ text: 'select phone from vendor where phone is not null' });`,
    faults: ['3: column phone is declared as string, and the table allows null'],
  },
  'wants the same columns on both sides': {
    source: `type Row = Pick<{ name: string; fax: string }, 'name' | 'fax'>;
export const read = () => db.query<Row>({ text: 'select name, employees from vendor' });`,
    faults: [
      '4: column employees is missing in the type of its rows',
      '4: the type of its rows has fax, which is not a column of the answer',
    ],
  },
  'counts the values': {
    source: `export const read = (id: string) => db.query({ text: 'select 1 from vendor where vendor_id = $1 and name = $2', values: [id] });`,
    faults: ['3: the text has 2 parameters, and 1 values are given'],
  },
  'compares the types of the values': {
    source: `export const read = (id: string, n: number) => db.query({ text: 'select 1 from vendor where vendor_id = $1 and employees = $2', values: [n, id] });`,
    faults: ['3: $1 is number, and PostgreSQL wants uuid', '3: $2 is string, and PostgreSQL wants int8'],
  },
  'follows functions, conditions and callers': {
    source: `const ordered = (column: 'name' | 'nmae') => \`select vendor_id from vendor order by \${column}\`;
const run = <T>(text: string, ...values: unknown[]) => db.query<T>({ text, values });
export const read = (wide: boolean) => run<{ name: string }>(wide ? 'select name from vendor' : 'select name from vendor where name = $1');
export const sorted = (by: 'name' | 'nmae') => run<{ vendor_id: string }>(ordered(by));`,
    faults: ['3: column "nmae" does not exist, at "nmae"', '5: the text has 1 parameters, and 0 values are given'],
  },
  'refuses one name for two texts': {
    source: `export const read = (wide: boolean) => db.query({ name: 'vendors', text: wide ? 'select 1 from vendor' : 'select 2 from vendor' });`,
    faults: ['3: the name vendors stands for another text at NAME.ts:3'],
  },
  'says so when it cannot read a statement': {
    source: `export const read = (texts: Map<string, string>) => db.query({ text: texts.get('a') ?? '' });`,
    faults: ["3: the statement cannot be read: the text of texts.get('a') ?? '' is not known"],
  },
  'checks conditions and inserts that the engine gets': {
    source: `const vendors = { name: 'vendors' } as never;
serve(vendors, 'vendor', {
  rowsFor: (ctx, t) => (ctx.address ? undefined : sql<boolean>\`\${sql.ref(\`\${t}.nmae\`)} = \${ctx.correlationId}\`),
  along: () => [sql\`insert into contact (contact_id, vendor_id, at) select 1, tenant_id, created from wire\`],
});
implementList({ of: 'vendors' } as never, (ctx, _input, t) => sql<boolean>\`\${sql.ref(\`\${t}.employees\`)} = \${ctx.correlationId}\`);
export const read = (ctx: never) => list(ctx, servedOf(vendors), '', { narrow: sql<boolean>\`t.fax is null\` });
export const keys = (ctx: never) => listKeys(ctx, serve(vendors, 'vendor'), '', { narrow: sql<boolean>\`t.phone is null\`, max: 1 });
export const unused = sql\`t.phone is null\`;`,
    faults: [
      '11: the statement cannot be read: no statement that was read has this fragment',
      '5: column t.nmae does not exist, at ""t"."nmae" = $1"',
      '6: column "created" does not exist, at "created from wire"',
      '8: $1 is string, and PostgreSQL wants int8',
      '9: column t.fax does not exist, at "t.fax is null"',
    ],
  },
  'refuses a write of a served table without its row of change': {
    source: `const change = (entity: string) => \`insert into change (verb, entity, entity_id) select 'update', '\${entity}', vendor_id::text from written\`;
const written = 'with written as (update vendor set phone = null where vendor_id = $1 returning vendor_id) ';
export const silent = (id: string) => db.query({ text: 'update vendor set phone = null where vendor_id = $1', values: [id] });
export const recorded = (id: string) => db.query({ text: written + change('vendors'), values: [id] });
export const otherEntity = (id: string) => db.query({ text: written + change('contacts'), values: [id] });
export const removed = (id: string) => db.defer({ text: 'with gone as (delete from only "vendor" where vendor_id = $1) select 1', values: [id] });
export const locked = () => db.query<{ name: string }>({ text: 'select name from vendor for no key update of vendor' });
export const together = () =>
  db.transaction(async (tx) => {
    await tx.query({ text: 'update vendor set phone = null' });
    await recordChange(tx, { entity: 'vendors' } as never);
  });
export const ofAnother = () =>
  db.transaction(async (tx) => {
    await tx.query({ text: 'update vendor set phone = null' });
    await recordChange(tx, { entity: 'contacts' } as never);
  });`,
    faults: [17, 5, 7, 8].map((line) => `${line}: it writes vendor, and no row of change. Add \`changed(vendors, ...)\` to the statement.`),
  },
  'accepts the writes that are exempt': {
    source: `serve({ name: 'contacts' } as never, 'contact');
export const remove = () => db.defer({ text: 'delete from contact' });`,
    faults: [],
  },
};

let postgres: EmbeddedServer;
let folder: string;
let faults: string[];
let checked: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloudfit-check-'));
  await chmod(folder, 0o711);
  postgres = await startEmbedded({ dataDir: join(folder, 'data'), log: () => undefined });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(schema);
  await client.end();
  const server = join(import.meta.dirname, '../../server/src');
  const imports = {
    'type Db': 'db/db.ts',
    serve: 'resources/served.ts',
    servedOf: 'resources/served.ts',
    implementList: 'resources/action.ts',
    'list, listKeys': 'resources/list.ts',
    recordChange: 'auth/audit-entry.ts',
  };
  const names = Object.entries(imports).map(([name, path]) => `import { ${name} } from '${join(server, path)}';`);
  const start = `${names.join(' ')} import { sql } from '${join(server, 'db/sql.ts')}';\ndeclare const db: Db;\n`;
  for (const [index, { source }] of Object.values(cases).entries()) await writeFile(join(folder, `case${index}.ts`), `${start}${source}\n`);
  const config = join(folder, 'tsconfig.json');
  await writeFile(
    config,
    JSON.stringify({ extends: join(import.meta.dirname, '../../tsconfig.json'), compilerOptions: { types: [] }, include: ['*.ts'] }),
  );
  const record = {
    paths: /^case/,
    shownWith: {},
    unseen: { 'case0.ts vendor': 'writes no more' },
    silent: { [`case${Object.keys(cases).length - 1}.ts contact`]: 'nobody follows it' },
    unrecorded: new Set(['vendor']),
  };
  ({ faults, checked } = await checkStatements({
    root: folder,
    config,
    url: postgres.url,
    folders: ['case'],
    engine: [],
    exempt: [],
    record,
  }));
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

it.each(Object.keys(cases))('%s', (title) => {
  const name = `case${Object.keys(cases).indexOf(title)}`;
  const reported = faults.filter((fault) => fault.startsWith(`${name}.ts:`)).map((fault) => fault.slice(name.length + 4));
  expect(reported).toEqual(cases[title]?.faults.map((fault) => fault.replace('NAME', name)));
});

it('refuses exemptions that no write needs, and tables of which the server does not know', () => {
  const both = 'must be both in `silent` or `shownWith` and in `unrecorded` of resources/read-tables.ts';
  expect(faults.filter((fault) => fault.startsWith('scripts/'))).toEqual([
    'scripts/sql/exempt.ts: "case0.ts vendor" is exempt, and no such write lacks a row of change',
    `scripts/sql/exempt.ts: contact ${both}`,
    `scripts/sql/exempt.ts: vendor ${both}`,
  ]);
});

it('counts every call that it has read', () => {
  expect(checked).toBe(Object.keys(cases).length + 10);
});
