/** Lists of the API, sorted by every sortable column in both directions: the first page, and a page far behind. */
import http from 'node:http';
import { openStates } from '@cloudfit/contract/enums.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { SampleNames } from '../../server/src/testing/screen-lists.ts';
import { percentile } from '../load.ts';

/** The sortable columns of the list of work units. Other lists have fewer rows and are sorted by all sortable fields. */
const unitColumns = [
  'publicWorkUnitId',
  'severityId',
  'title',
  'stateId',
  'assignedTo',
  'tenantId',
  'created',
  'modified',
  'workUnitTypeId',
  'assignmentGroup',
  'stakeHolderFullName',
  'stakeHolderPhoneNumber',
  'stakeHolderEmailAddress',
];

/** Left out: lists that are read only for one row of another list, and computed lists. */
const notListed = new Set(['workUnitNotes', 'externalNotes']);

const open = `stateId in (${openStates.map((state) => `'${state}'`).join(',')})`;
const farPage = 10_000;
const warmUps = 2;
const runs = 20;

export interface SortedList {
  name: string;
  path: string;
  all: boolean;
}

function sortedColumns({ name, fields }: Resource): readonly string[] {
  if (name === 'workUnits') return unitColumns;
  return Object.entries(fields).flatMap(([field, { sort }]) => (sort ? [field] : []));
}

/** The quick filters of a list, by name. */
function quickFilters({ name }: Resource, { person }: SampleNames): Readonly<Record<string, string | undefined>> {
  if (name !== 'workUnits') return { '': undefined };
  return {
    '': undefined,
    open,
    mine: `assignedTo eq '${person}' and ${open}`,
    'my approvals': `(approver1 eq '${person}' or approver2 eq '${person}') and ${open}`,
  };
}

export function sortedLists(names: SampleNames): readonly SortedList[] {
  const listed = (resources as readonly Resource[]).filter(({ name, verbs }) => verbs.includes('list') && !notListed.has(name));
  return listed.flatMap((resource) =>
    sortedColumns(resource).flatMap((column) =>
      ['asc', 'desc'].flatMap((direction) =>
        [true, false].flatMap((all) =>
          Object.entries(quickFilters(resource, names)).flatMap(([quick, clause]) => {
            const expand = resource.name === 'workUnits' ? '&$expand=tenant($select=name),workUnitType' : '';
            const filter = clause === undefined ? '' : `$filter=${clause}&`;
            const query = `/v1/${resource.name}?${filter}$orderby=${column} ${direction}&$count=true&countUpTo=10000${expand}`;
            const name = [resource.name, all ? 'all tenants' : 'one tenant', quick, `${column} ${direction}`].filter(Boolean).join(', ');
            return [
              { name: `${name}, first page`, path: `${query}&$top=10`, all },
              { name: `${name}, row ${farPage}`, path: `${query}&$top=10&$skip=${farPage}`, all },
            ];
          }),
        ),
      ),
    ),
  );
}

function get(agent: http.Agent, port: number, path: string, bearer: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${bearer}` };
    http
      .get({ port, host: '127.0.0.1', agent, path: encodeURI(path), headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      })
      .on('error', reject);
  });
}

export interface TimedList {
  name: string;
  p50: number;
  p95: number;
}

/** The times of each list over HTTP, one client, slowest first. Leaves out lists that the server refuses (403, 501). */
export async function timeSortedLists(
  lists: readonly SortedList[],
  port: number,
  bearers: { one: string; all: string },
): Promise<TimedList[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const timed: TimedList[] = [];
  for (const { name, path, all } of lists) {
    const times: number[] = [];
    for (let i = 0; i < warmUps + runs; i++) {
      const started = performance.now();
      const { status, text } = await get(agent, port, path, all ? bearers.all : bearers.one);
      if (status === 403 || status === 501) break;
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`);
      if (i >= warmUps) times.push(performance.now() - started);
    }
    if (times.length > 0) timed.push({ name, p50: percentile(times, 0.5), p95: percentile(times, 0.95) });
  }
  agent.destroy();
  return timed.toSorted((a, b) => b.p95 - a.p95);
}
