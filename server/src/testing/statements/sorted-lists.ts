/** Lists of the API, sorted by every sortable column in both directions, with the quick filters: the first page, and a page far behind. */
import { openStates } from '@cloudfit/contract/enums.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { SampleNames } from '../screen-lists.ts';

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
function quickFilters({ name }: Resource, { person }: Pick<SampleNames, 'person'>): Readonly<Record<string, string | undefined>> {
  if (name !== 'workUnits') return { '': undefined };
  return {
    '': undefined,
    open,
    mine: `assignedTo eq '${person}' and ${open}`,
    'my approvals': `(approver1 eq '${person}' or approver2 eq '${person}') and ${open}`,
  };
}

export function sortedLists(names: Pick<SampleNames, 'person'>): readonly SortedList[] {
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
