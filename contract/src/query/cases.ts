/** Sample resources and rows, and filters with the rows that match. Tests run these in memory and in the database. */
import { defineResource, f, many, one, optional } from '../resource.ts';

export const owners = defineResource({
  name: 'owners',
  label: 'Owner',
  plural: 'Owners',
  key: 'ownerId',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'name asc',
  fields: {
    ownerId: f.key(),
    name: f.text('Name', { search: true }),
    city: optional(f.text('City')),
    parentId: optional(f.guid('Parent')),
  },
  relations: { parent: one('owners', 'parentId', 'ownerId'), samples: many('samples', 'ownerId') },
});

/** A resource with a field of each kind; optional fields are nullable. */
export const samples = defineResource({
  name: 'samples',
  label: 'Sample',
  plural: 'Samples',
  key: 'id',
  title: 'name',
  area: 'Tenants',
  scope: { kind: 'installation' },
  verbs: ['list'],
  orderBy: 'name asc',
  fields: {
    id: f.serial(),
    name: f.text('Name', { search: true }),
    active: f.boolean('Active'),
    note: optional(f.text('Note', { search: true })),
    size: optional(f.int('Size', { search: true })),
    total: optional(f.bigint('Total')),
    ratio: optional(f.decimal('Ratio')),
    flag: optional(f.boolean('Flag')),
    made: optional(f.timestamp('Made')),
    span: optional(f.duration('Span')),
    ownerId: optional(f.ref('Owner', 'owners', { search: true })),
    secret: f.text('Secret', { filter: false, sort: false }),
    extra: f.json('Extra', f.text('x').schema),
  },
  relations: { owner: one('owners', 'ownerId'), siblings: many('samples', 'ownerId') },
});

/** Finds the sample resources by name. */
export function findSample(name: string) {
  return [owners, samples].find((resource) => resource.name === name);
}

export interface OwnerRow {
  ownerId: string;
  name: string;
  city: string | null;
  parentId: string | null;
  parent: OwnerRow | null;
}

const north: OwnerRow = { ownerId: 'aaaaaaaa-0000-4000-8000-000000000001', name: 'North', city: 'Oslo', parentId: null, parent: null };
const south: OwnerRow = {
  ownerId: 'bbbbbbbb-0000-4000-8000-000000000002',
  name: 'South',
  city: null,
  parentId: north.ownerId,
  parent: north,
};
export const ownerRows: readonly OwnerRow[] = [north, south];

export interface SampleRow {
  id: number;
  name: string;
  active: boolean;
  note: string | null;
  size: number | null;
  total: number | null;
  ratio: number | null;
  flag: boolean | null;
  made: string | null;
  span: string | null;
  ownerId: string | null;
  owner: OwnerRow | null;
}

function row(id: number, name: string, rest: Partial<SampleRow> = {}): SampleRow {
  const empty = { active: false, note: null, size: null, total: null, ratio: null, flag: null, made: null, span: null, owner: null };
  return { id, name, ...empty, ...rest, ownerId: rest.owner?.ownerId ?? null };
}

export const sampleRows: readonly SampleRow[] = [
  row(1, 'Alpha', {
    active: true,
    note: '100% sure',
    size: 5,
    total: 5_000_000_000,
    ratio: 2.5,
    flag: true,
    made: '2026-01-01T00:00:00Z',
    span: '00:05:00',
    owner: north,
  }),
  row(2, 'beta', {
    note: 'a_b',
    size: -5,
    total: -1,
    ratio: -2.5,
    flag: false,
    made: '2026-01-01T23:59:59.999Z',
    span: '01:00:00',
    owner: south,
  }),
  row(3, "O'Hara", { active: true, note: 'back\\slash', size: 0, total: 0, ratio: 0.1, made: '2025-12-31T23:30:15.5Z', owner: north }),
  row(4, '\u00c9clair \u00dfig', {
    note: '',
    size: 2_147_483_647,
    ratio: 1e-7,
    flag: true,
    made: '2024-02-29T12:34:56Z',
    span: '100:00:00',
  }),
  row(5, '\u{1f600} smile', { note: ' padded ', size: 7, total: 9_007_199_254_740_991, ratio: 3, flag: false, owner: south }),
  row(6, '\uffee half'),
  row(7, 'alpha', { active: true, note: 'axb', size: 10, ratio: -0.5, made: '1969-07-20T20:17:40.123456Z' }),
];

/** The rows with `owner` and `siblings` as nested rows, which may refer to each other in circles. */
export function linked(rows: readonly SampleRow[]): Readonly<Record<string, unknown>>[] {
  const samplesOf = new Map<string | null, Record<string, unknown>[]>(ownerRows.map((owner) => [owner.ownerId, []]));
  const ownersById = new Map(ownerRows.map((owner) => [owner.ownerId, { ...owner, samples: samplesOf.get(owner.ownerId) }]));
  for (const owner of ownersById.values()) if (owner.parentId) owner.parent = ownersById.get(owner.parentId) ?? null;
  return rows.map((row) => {
    const owner = ownersById.get(row.ownerId ?? '') ?? null;
    const full = { ...row, owner, siblings: samplesOf.get(row.ownerId) ?? [] };
    samplesOf.get(row.ownerId)?.push(full);
    return full;
  });
}

/** `[filter, ids of the rows that match]`. */
export const filterCases: readonly (readonly [string, readonly number[]])[] = [
  // comparison, null
  ["name eq 'Alpha'", [1]],
  ["name ne 'Alpha'", [2, 3, 4, 5, 6, 7]],
  ["name eq 'O''Hara'", [3]],
  ['size eq 5', [1]],
  ['size ne 5', [2, 3, 4, 5, 6, 7]],
  ['size eq null', [6]],
  ['null eq size', [6]],
  ['size ne null', [1, 2, 3, 4, 5, 7]],
  ['null ne size', [1, 2, 3, 4, 5, 7]],
  ['size gt 5', [4, 5, 7]],
  ['not (size gt 5)', [1, 2, 3, 6]],
  ['not (size le 5)', [4, 5, 6, 7]],
  ['not (size eq 5)', [2, 3, 4, 5, 6, 7]],
  ['not (size ne 5)', [1]],
  ['size gt null', []],
  ['size le null', []],
  ['not (size gt null)', [1, 2, 3, 4, 5, 6, 7]],
  ['null eq null', [1, 2, 3, 4, 5, 6, 7]],
  ['null ne null', []],
  ['null gt null', []],
  ['size eq total', [3, 6]],
  ['size ne total', [1, 2, 4, 5, 7]],
  ['(size gt 5) eq false', [1, 2, 3, 6]],
  ['(size gt 5) eq null', []],
  ['size lt -4', [2]],
  ['size eq 3000000000', []],
  ['size lt 3000000000', [1, 2, 3, 4, 5, 7]],
  ['total eq 5000000000', [1]],
  ['total lt 9223372036854775807', [1, 2, 3, 5]],
  ['total eq 9007199254740991', [5]],
  ['total eq 9007199254740993', []],
  ['ratio eq 2.5', [1]],
  ['ratio eq 0.1', [3]],
  ['ratio eq 3', [5]],
  ['ratio lt 1e-6', [2, 4, 7]],
  ['size gt 4.5', [1, 4, 5, 7]],
  ['1 lt 2 eq true', [1, 2, 3, 4, 5, 6, 7]],
  ['true', [1, 2, 3, 4, 5, 6, 7]],
  ['false', []],
  ['null', []],
  // boolean fields
  ['active', [1, 3, 7]],
  ['not active', [2, 4, 5, 6]],
  ['flag', [1, 4]],
  ['not flag', [2, 5]],
  ['flag eq false', [2, 5]],
  ['flag ne true', [2, 3, 5, 6, 7]],
  ['flag or active', [1, 3, 4, 7]],
  ['not (flag and active)', [2, 4, 5, 6]],
  ['not (flag or active)', [2, 5]],
  // precedence
  ["name eq 'beta' or name eq 'Alpha' and size eq 99", [2]],
  ["(name eq 'beta' or name eq 'Alpha') and size eq 5", [1]],
  ['size eq 10 sub 4 sub 1', [1]],
  ['size eq 1 add 2 mul 2', [1]],
  ['size eq (1 add 2) mul 2 sub 1', [1]],
  ["not contains(name,'a') and active", []],
  ["not contains(name,'A') and active", [3, 7]],
  // text
  ["contains(note,'%')", [1]],
  ["contains(note,'_')", [2]],
  ["contains(note,'\\')", [3]],
  ["contains(note,'')", [1, 2, 3, 4, 5, 7]],
  ["not contains(note,'a')", [1, 4]],
  ["not contains(note,'a') or note eq null", [1, 4, 6]],
  ["contains(tolower(name),'alpha')", [1, 7]],
  ["contains(tolower(name),tolower('ALPHA'))", [1, 7]],
  ['contains(note,name)', []],
  ['contains(name,note)', [4]],
  ["startswith(name,'A')", [1]],
  ["startswith(note,' ')", [5]],
  ["startswith(concat(name,'!'),name)", [1, 2, 3, 4, 5, 6, 7]],
  ["endswith(name,'pha')", [1, 7]],
  ['endswith(name,substring(name,1))', [1, 2, 3, 4, 5, 6, 7]],
  ["endswith(note,'\\slash')", [3]],
  ["contains(folded(name),'eclair ssig')", [4]],
  ["folded(name) eq folded('E\u0301CLAIR \u1e9eIG')", [4]],
  ["tolower(name) eq '\u00e9clair \u00dfig'", [4]],
  ["toupper(name) eq '\u00c9CLAIR \u00dfIG'", [4]],
  ['contains(name,null)', []],
  ['contains(name,null) eq null', [1, 2, 3, 4, 5, 6, 7]],
  ["contains(note,'a') eq false", [1, 4]],
  ["contains(note,'a') ne true", [1, 4, 6]],
  ['length(name) eq 5', [1, 7]],
  ['length(name) eq 7', [5]],
  ['length(note) eq 0', [4]],
  ['length(note) eq null', [6]],
  ["indexof(name,'l') eq 1", [1, 7]],
  ["indexof(name,'smile') eq 2", [5]],
  ["indexof(name,'zzz') eq -1", [1, 2, 3, 4, 5, 6, 7]],
  ["substring(name,1) eq 'lpha'", [1, 7]],
  ["substring(name,1,2) eq 'lp'", [1, 7]],
  ["substring(name,2,5) eq 'smile'", [5]],
  ["substring(name,-3,2) eq 'Al'", [1]],
  ["substring(name,2,-1) eq ''", [1, 2, 3, 4, 5, 6, 7]],
  ["substring(name,5000000000) eq ''", [1, 2, 3, 4, 5, 6, 7]],
  ["trim(note) eq 'padded'", [5]],
  ["concat(concat(name,'-'),note) eq 'beta-a_b'", [2]],
  ['concat(name,note) eq null', [6]],
  ["name gt '\uffee half'", [5]],
  ["name lt 'a'", [1, 3]],
  ["name ge 'beta'", [2, 4, 5, 6]],
  // in
  ["name in ('Alpha','beta')", [1, 2]],
  ['size in (5,-5,3000000000)', [1, 2]],
  ['size in (5,null)', [1, 6]],
  ['not (size in (5,null))', [2, 3, 4, 5, 7]],
  ['not (size in (5,-5))', [3, 4, 5, 6, 7]],
  ['not size in (5,-5)', [3, 4, 5, 6, 7]],
  ['ratio in (0.1,3)', [3, 5]],
  ['size in ()', []],
  ['ownerId in (AAAAAAAA-0000-4000-8000-000000000001)', [1, 3]],
  ['flag in (true,null)', [1, 3, 4, 6, 7]],
  // GUID, relations
  ['ownerId eq aaaaaaaa-0000-4000-8000-000000000001', [1, 3]],
  ["ownerId eq 'AAAAAAAA-0000-4000-8000-000000000001'", [1, 3]],
  ['ownerId gt aaaaaaaa-0000-4000-8000-000000000001', [2, 5]],
  ["owner/name eq 'North'", [1, 3]],
  ["owner/name ne 'North'", [2, 4, 5, 6, 7]],
  ['owner/city eq null', [2, 4, 5, 6, 7]],
  ["owner/parent/city eq 'Oslo'", [2, 5]],
  ["not (owner/parent/name eq 'North')", [1, 3, 4, 6, 7]],
  // relations to many
  ['siblings/any()', [1, 2, 3, 5]],
  ['not siblings/any()', [4, 6, 7]],
  ['owner/samples/any(s:s/size lt 0)', [2, 5]],
  ['owner/samples/all(s:s/active)', [1, 3, 4, 6, 7]],
  ['not owner/samples/all(s:s/active)', [2, 5]],
  ['siblings/any(s:s/size gt size)', [2, 3]],
  ['siblings/all(s:s/total ge 0)', [1, 3, 4, 6, 7]],
  ['siblings/all(s:s/flag)', [4, 6, 7]],
  ['siblings/all(s:not s/flag)', [2, 4, 5, 6, 7]],
  ["siblings/any(s:s/owner/name eq 'South' and s/note ne null)", [2, 5]],
  ["owner/parent/samples/any(s:s/name eq 'Alpha')", [2, 5]],
  ["siblings/any(s:s/owner/parent/samples/any(t:t/size eq 5 and s/id gt t/id and contains(t/name,'A')))", [2, 5]],
  ['siblings/any(s:s/siblings/all(t:t/active or s/size eq t/size))', [1, 3]],
  ["(siblings/any(s:s/name eq 'beta')) eq true", [2, 5]],
  ['siblings/$count eq 2', [1, 2, 3, 5]],
  ['owner/samples/$count eq 0', [4, 6, 7]],
  ['siblings/$count add size eq 7', [1]],
  ['siblings/any(s:s/siblings/$count gt 1 and s/owner/samples/$count eq 2)', [1, 2, 3, 5]],
  // arithmetic
  ['size add 1 eq 6', [1]],
  ['size sub total eq 0', [3]],
  ['size mul 2 eq -10', [2]],
  ['size div 2 eq 2', [1]],
  ['size div 2 eq -2', [2]],
  ['size divby 2 eq 2.5', [1]],
  ['size mod 3 eq -2', [2]],
  ['size mod 3 eq 2', [1]],
  ['-size eq 5', [2]],
  ['-(size add 1) eq -6', [1]],
  ['size add 1 gt 2147483647', [4]],
  ['ratio mul 2 eq 5', [1]],
  ['ratio mod 2 eq 0.5', [1]],
  ['size add null eq null', [1, 2, 3, 4, 5, 6, 7]],
  ['round(ratio) eq 3', [1, 5]],
  ['round(ratio) eq -3', [2]],
  ['round(ratio) eq -1', [7]],
  ['floor(ratio) eq -3', [2]],
  ['floor(ratio) eq 0', [3, 4]],
  ['ceiling(ratio) eq 1', [3, 4]],
  ['round(size) eq 5', [1]],
  // times
  ['made eq 2026-01-01T00:00:00Z', [1]],
  ['made eq 2026-01-01T02:00:00+02:00', [1]],
  ['made lt 2026-01-01T00:00:00.0000001Z', [3, 4, 7]],
  ['made ge 2026-01-01', [1, 2]],
  ['date(made) eq 2026-01-01', [1, 2]],
  ['date(made) lt 2025-01-01', [4, 7]],
  ['time(made) eq 12:34:56', [4]],
  ['time(made) ge 20:00', [2, 3, 7]],
  ['year(made) eq 2026', [1, 2]],
  ['month(made) eq 2 and day(made) eq 29', [4]],
  ['hour(made) eq 23 and minute(made) eq 30', [3]],
  ['second(made) eq 59', [2]],
  ['fractionalseconds(made) eq 0.5', [3]],
  ['fractionalseconds(made) eq 0.123456', [7]],
  ['year(date(made)) eq 1969', [7]],
  ['hour(time(made)) eq 20', [7]],
  ['totaloffsetminutes(made) eq 0', [1, 2, 3, 4, 7]],
  ['made lt now()', [1, 2, 3, 4, 7]],
  ["made lt now() sub duration'P2D'", [1, 2, 3, 4, 7]],
  ["made gt now() sub duration'PT12H'", []],
  ['made gt mindatetime() and made lt maxdatetime()', [1, 2, 3, 4, 7]],
  ["made add duration'PT1S' gt 2026-01-02T00:00:00Z", [2]],
  ["made sub duration'P1D' eq 2025-12-31T00:00:00Z", [1]],
  ["made sub 2026-01-01T00:00:00Z gt duration'PT1H'", [2]],
  ["made sub made eq duration'PT0S'", [1, 2, 3, 4, 7]],
  ["span eq '00:05:00'", [1]],
  ["span eq duration'PT5M'", [1]],
  ['span gt 00:30:00', [2, 4]],
  ["span add duration'PT55M' eq '01:00:00'", [1]],
  ['totalseconds(span) eq 300', [1]],
  ["span in ('100:00:00','00:05:00')", [1, 4]],
];
