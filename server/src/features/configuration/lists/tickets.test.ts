/** Tickets of any program come as a CSV: work units with their times and comments, of which nobody is told. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ListInput, ListOutcome } from '@cloudfit/contract/configuration/import-list.ts';
import { personIn } from '../../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
const all = holder('all');
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

type ListParameters = Partial<ListInput> & Pick<ListInput, 'tenantId' | 'text'>;
async function take(parameters: ListParameters): Promise<ListOutcome> {
  const answer = await world.call(all, 'POST', '/v1/lists/import', { list: 'tickets', source: 'Old desk', ...parameters });
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as ListOutcome;
}
const counts = ({ added, changed, unchanged, refusedRows }: ListOutcome) => [added, changed, unchanged, refusedRows];
const rowsOf = async (path: string) => (await world.call(all, 'GET', path)).body['value'] as unknown as Record<string, unknown>[];
interface FollowedRow {
  jobs: number | null;
  events: number | null;
  others: number | null;
}
/** What follows from changes of work units here. */
const followed = async (): Promise<FollowedRow> => {
  const [row] = await world.system.db.query<FollowedRow>({
    text: `select (select count(*)::int from job) as jobs, (select count(*)::int from event_delivery) as events,
      ((select count(*) from notification) + (select count(*) from inbox_item) + (select count(*) from work_unit_clock))::int as others`,
  });
  return row ?? { jobs: null, events: null, others: null };
};

const heading =
  'Ticket Number,Betreff,Status,Priorität,Erstellt am,Geschlossen am,Melder,Contact Email,Zugewiesen an,Kategorie,Comments,Comments';

it('become work units with their history, once; a newer file adds what is new, and nobody is told', async () => {
  // A search also matches names of tenants; the default name is random, and could be "Tenant 7...".
  const { tenantId } = await world.tenant('Works');
  const ann = await personIn(world, tenantId, 'ann');
  const [account] = await world.system.db.query<{ user_name: string }>({
    text: 'select user_name from person where person_id = $1',
    values: [ann],
  });
  const userName = account?.user_name ?? '';
  const subscription = {
    name: 'All',
    entity: 'workUnits',
    tenantId,
    address: 'https://example.com/events',
    onOpened: true,
    onState: true,
    onChanged: true,
    onNote: true,
  };
  expect((await world.call(all, 'PUT', '/v1/eventSubscriptions', subscription)).status).toBe(201);
  await world.call(all, 'PUT', '/v1/serviceLevels', { name: 'Fast', tenantId, resolveMinutes: 5 });
  const text = [
    heading,
    `T-7,Printer on fire,geschlossen,3 high,31.01.2024 10:00,01.02.2024 09:30,Bo Berg,bo@example.com,${userName},Printing,"2024-01-31 11:00 Zoe: Sent somebody",27/Feb/24 3:04 PM;bo;Thanks`,
    'T-8,Slow login,offen,niedrig,02.03.2024,,Cy,cy@example.com,somebody else,,,',
    'T-9,Odd,Sleeping,Purple,03.03.2024,,,,,,,',
    'T-10,Never,offen,,gestern,,,,,,,',
  ].join('\n');
  const before = await followed();
  const tried = await take({ tenantId, text, timeZone: 'Europe/Berlin' });
  expect(counts(tried)).toEqual([3, 0, 0, 1]);
  expect(tried.refused).toEqual([{ line: 5, column: 'created', message: '"gestern" is no time such as 2026-12-25 14:30.' }]);
  expect(tried.remarks.map((remark) => remark.text)).toEqual([
    'The state "Sleeping" has no counterpart: Acknowledged.',
    'The priority "Purple" has no counterpart: Sev3.',
  ]);
  expect(await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId}`)).toEqual([]);

  const first = await take({ tenantId, text, timeZone: 'Europe/Berlin', dryRun: false });
  expect(counts(first)).toEqual([3, 0, 0, 1]);
  const units = await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId}&$orderby=created&$expand=notes($orderby=created)`);
  expect(units).toMatchObject([
    {
      title: 'Printer on fire',
      referenceId: 'T-7',
      stateId: 'Closed',
      severityId: 'Sev2',
      created: '2024-01-31T09:00:00.000Z',
      resolved: '2024-02-01T08:30:00.000Z',
      createdBy: 'bo@example.com',
      stakeHolderFullName: 'Bo Berg',
      assignedTo: userName,
      category: 'Printing',
      clockDue: null,
    },
    { referenceId: 'T-8', stateId: 'Acknowledged', severityId: 'Sev4', assignedTo: 'somebody else', resolved: null },
    { referenceId: 'T-9' },
  ]);
  const notes = units[0]?.['notes'] as Record<string, unknown>[];
  expect(notes.map(({ created, createdBy, detail }) => [created, createdBy, detail])).toMatchObject([
    ['2024-01-31T10:00:00.000Z', 'Zoe', 'Sent somebody'],
    ['2024-02-27T14:04:00.000Z', 'bo', 'Thanks'],
    [expect.any(String), expect.any(String), 'Imported from Old desk, where it is T-7.'],
  ]);
  // The old number is searched like any other text of a unit.
  const search = await world.call(all, 'GET', `/v1/workUnits?$search=T-7&$filter=tenantId eq ${tenantId}`);
  expect((search.body['value'] as unknown as unknown[]).length).toBe(1);

  expect(counts(await take({ tenantId, text, timeZone: 'Europe/Berlin', dryRun: false }))).toEqual([0, 0, 3, 1]);
  const newer = text.replace('T-8,Slow login,offen', 'T-8,Slow login,gelöst').replace(';Thanks', ';Thanks,again');
  const second = await take({
    tenantId,
    text: `${newer.replace(';Thanks,again', ';Thanks')}\nT-7,,,,,,,,,,"2024-03-01 10:00 Ann: Once more",`,
    timeZone: 'Europe/Berlin',
    dryRun: false,
  });
  expect(counts(second)).toEqual([0, 2, 1, 1]);
  expect(await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId} and referenceId eq 'T-8'`)).toMatchObject([{ stateId: 'Resolved' }]);

  // Work here is not overwritten by what is written there.
  const [unit] = await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId} and referenceId eq 'T-9'`);
  await world.call(all, 'POST', `/v1/workUnits/${String(unit?.['workUnitId'])}`, { title: 'Ours' });
  expect(counts(await take({ tenantId, text: newer, timeZone: 'Europe/Berlin', dryRun: false }))[1]).toBe(0);
  expect(await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId} and title eq 'Ours'`)).toHaveLength(1);

  // The change of the title is the only event; nothing else follows from what came.
  const after = await followed();
  expect([(after.events ?? 0) - (before.events ?? 0), after.others]).toEqual([1, 0]);
  expect((after.jobs ?? 0) - (before.jobs ?? 0)).toBeLessThanOrEqual(2);
});

it('name people by how they are called only among those of the tenant', async () => {
  const [{ tenantId }, other] = [await world.tenant(), await world.tenant()];
  const ours = await personIn(world, tenantId, 'Ina Moor');
  for (const name of ['Ina Moor', 'Udo Fern']) await personIn(world, other.tenantId, name);
  const text =
    'Ticket Number,Title,Created,Assignee,Comments\nT-1,Slow,2026-01-31 10:00,Ina Moor,"2026-01-31 11:00 Udo Fern: Restarted it"';
  expect(counts(await take({ tenantId, text, dryRun: false }))).toEqual([1, 0, 0, 0]);
  const [unit] = await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId}&$expand=notes($orderby=created)`);
  const [account] = await world.system.db.query<{ name: string }>({
    text: 'select user_name as name from person where person_id = $1',
    values: [ours],
  });
  expect(unit?.['assignedTo']).toBe(account?.name);
  expect(unit?.['notes']).toMatchObject([{ createdBy: 'Udo Fern', detail: 'Restarted it' }, {}]);
  // Of two who are called so here nobody is meant.
  const second = await personIn(world, tenantId, 'Ina Moor of the night');
  await world.system.db.query({ text: "update person set name = 'Ina Moor' where person_id = $1", values: [second] });
  const later = text.replace('T-1,', 'T-2,').replace('Udo Fern:', 'Ina Moor:');
  expect(counts(await take({ tenantId, text: later, dryRun: false }))).toEqual([1, 0, 0, 0]);
  const [ofBoth] = await rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId} and referenceId eq 'T-2'&$expand=notes($orderby=created)`);
  expect([ofBoth?.['assignedTo'], ofBoth?.['notes']]).toMatchObject(['Ina Moor', [{ createdBy: 'Ina Moor' }, {}]]);
  // The same words at another time are another note, and are added once.
  const repeated = later
    .replace('Restarted it"', 'Restarted it","2026-02-01 11:00 Udo Fern: Restarted it"')
    .replace('Comments\n', 'Comments,Comments\n');
  for (const changed of [1, 0]) expect(counts(await take({ tenantId, text: repeated, dryRun: false }))[1]).toBe(changed);
});

it('are for those who may edit the settings of the tenant', async () => {
  const [here, there] = [await world.tenant(), await world.tenant()];
  const text = 'number,title,created\n1,Title,2026-01-01';
  const status = async (permissions: string[], tenantId: string) =>
    (await world.call(holder([here.tenantId], permissions), 'POST', '/v1/lists/import', { list: 'tickets', tenantId, text, dryRun: false }))
      .status;
  const desk = ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.WorkUnits:create', 'CloudFit.CFS.WorkUnits:edit'];
  expect(await status(desk, here.tenantId)).toBe(403);
  const settings = ['CloudFit.CFS.Settings:view', 'CloudFit.CFS.Settings:edit', ...desk];
  expect([await status(settings, there.tenantId), await status(settings, here.tenantId)]).toEqual([404, 200]);
  // A document that names another tenant is refused row by row.
  const document = {
    cloudfit: 'configuration',
    version: 1,
    rows: {
      tickets: [
        {
          tenantId: there.tenantId,
          source: 'X',
          number: '1',
          title: 'Title',
          stateId: 'New',
          severityId: 'Sev3',
          created: '2026-01-01T00:00:00Z',
          notes: [],
        },
      ],
    },
    partly: true,
  };
  const { body } = await world.call(holder([here.tenantId], settings), 'POST', '/v1/configuration', document);
  expect(body).toMatchObject({ added: 0, left: [{ resource: 'tickets', name: 'Title', reason: 'Tenant was not found.' }] });
});

it('are taken back as one: their units are canceled, but those on which somebody has worked, and a second import opens them again', async () => {
  const { tenantId } = await world.tenant();
  const text = [heading, ...[1, 2, 3].map((n) => `B-${n},Fan ${n} is loud,open,,2024-01-0${n} 10:00,,Ann,ann@example.com,,,A note,`)].join(
    '\n',
  );
  const { changeSet } = await take({ tenantId, text, timeZone: 'Europe/Berlin', dryRun: false });
  const units = () => rowsOf(`/v1/workUnits?$filter=tenantId eq ${tenantId}&$orderby=referenceId`);
  const states = async () => (await units()).map((unit) => unit['stateId']);
  const [, second] = await units();
  await world.call(all, 'POST', `/v1/workUnits/${String(second?.['workUnitId'])}`, { severityId: 'Sev1' });
  const before = await followed();
  const undo = async (dryRun: boolean) => (await world.call(all, 'POST', '/v1/configuration/restore', { changeSet, dryRun })).body;
  const opened = await states();
  expect(await undo(true)).toMatchObject({ changes: [{ name: 'Fan 1 is loud' }, { name: 'Fan 3 is loud' }] });
  expect(await states()).toEqual(opened);
  expect(await undo(false)).toMatchObject({
    changes: [
      { resource: 'workUnits', name: 'Fan 1 is loud', fields: [{ field: 'stateId', after: 'Canceled' }] },
      { name: 'Fan 3 is loud' },
    ],
    left: [{ name: 'Fan 2 is loud', reason: 'Somebody has worked on it since, so it stays as it is.' }],
  });
  expect(await states()).toEqual(['Canceled', opened[1], 'Canceled']);
  expect(await followed()).toEqual(before);
  expect((await undo(false))['changes']).toEqual([]);
  const reader = holder([tenantId], ['CloudFit.CFS.Settings:view', 'CloudFit.CFS.WorkUnits:view']);
  expect((await take({ tenantId, text, timeZone: 'Europe/Berlin', dryRun: false })).changed).toBe(2);
  const refused = await world.call(reader, 'POST', '/v1/configuration/restore', { changeSet, dryRun: false });
  expect(refused.body).toMatchObject({ changes: [] });
  expect(await states()).toEqual(opened);
});
