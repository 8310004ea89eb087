import { proves } from '@cloudfit/contract/testing/proves.ts';
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from '../panel/panel.fixtures.ts';

const match = '01a1fcdb-e335-7785-970a-0000000000b1';
const older = '01a1fcdb-e335-7785-970a-0000000000b2';
const unusual = '01a1fcdb-e335-7785-970a-0000000000b3';
const relation = (workUnitRelationId: number, referenceType: string, referenceId: string) => ({
  workUnitRelationId,
  workUnitId: 7,
  referenceId,
  referenceType,
  tenantId,
  created: '2026-11-20T10:00:00Z',
  createdBy: 'System',
});
const message = { EntityId: 'e1', Timestamp: '2026-11-21T09:00:00Z', Value: 97, Properties: { BlockName: 'Pressure' } };

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});
const open = (relations: unknown[], more: Answers = {}) =>
  renderApp('/workunitsv2?workUnitId=7&tab=related', answersFor({ ...incident, relations }, more));
const grid = async (name: string) => within(await screen.findByLabelText(name, { selector: 'section' }));
const row = (id: string, created: string, name: string) => ({
  ruleMatchId: id,
  ruleId: 'r',
  tenantId,
  label: name,
  matchCount: 3,
  created,
  rule: { ruleId: 'r', name },
});

it('a grid per kind, the newest first, with what each match saw', async () => {
  await open([...[older, match, unusual].map((id, n) => relation(n + 1, 'RuleMatch', id)), relation(4, 'Ticket', 'T-1')], {
    'GET /v1/ruleMatches': list([
      row(older, '2026-11-20T08:00:00Z', 'Silence'),
      row(match, '2026-11-21T08:00:00Z', 'Pressure is high'),
      {
        ...row(unusual, '2026-11-19T08:00:00Z', 'Cpu is unusual'),
        rule: { ruleId: 'r', name: 'Cpu is unusual', conditions: [{ LeftOperandFieldName: 'Cpu' }] },
        rulePacket: { Metrics: { Cpu: 95 } },
        usual: [{ metric: 'Cpu', value: 95, mean: 40, deviation: 5, readings: 240, weeks: 4 }],
      },
    ]),
    relationLogEntries: { value: [{ referenceId: match, created: '2026-11-21T09:00:01Z', message: JSON.stringify(message) }] },
  });
  await proves('[WU-093] names what the match saw', () => screen.findByText('Pressure is high · Pressure'));
  const matches = await grid('Rule Match');
  await proves('[WU-071] has these columns', () =>
    expect(matches.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Name', 'Value', 'Date', 'Action']),
  );
  const rows = matches.getAllByRole('row').slice(1);
  await proves('[WU-072] lists the newest first', () =>
    expect(
      rows.map((row) =>
        within(row)
          .getAllByRole('cell')
          .slice(0, 2)
          .map((cell) => cell.textContent),
      ),
    ).toEqual([
      ['Pressure is high · Pressure', '97'],
      ['Silence', '3 times'],
      ['Cpu is unusual', 'Cpu 95 (11 deviations above the usual 40 ± 5)'],
    ]),
  );
  await proves('[WU-070] has a grid of its own for tickets', async () => (await grid('Ticket')).getByText('T-1'));
  await proves('[WU-055] counts all in the tab', () => expect(screen.getByRole('tab', { name: /Related/ }).textContent).toBe('Related4'));
});

it('[WU-073][WU-074] View opens the raw entry', async () => {
  await open([relation(2, 'RuleMatch', match)], {
    'GET /v1/ruleMatches': list([row(match, '2026-11-21T08:00:00Z', 'Pressure is high')]),
    relationLogEntries: { value: [{ referenceId: match, created: '2026-11-21T09:00:01Z', message: JSON.stringify(message) }] },
  });
  const view = await screen.findByLabelText('View Pressure is high · Pressure');
  expect(view.textContent).toBe('View');
  fireEvent.click(view);
  const dialog = await screen.findByRole('dialog', { name: 'Relation Information' });
  const shown = JSON.parse(dialog.querySelector('pre')?.textContent ?? '') as { message: unknown };
  expect(shown.message).toEqual(message);
});

it('[WU-075] shows at most 100 of a kind', async () => {
  await open(Array.from({ length: 101 }, (_, at) => relation(at, 'Ticket', `T-${at}`)));
  expect((await grid('Ticket')).getAllByRole('row')).toHaveLength(1 + 100);
});

it('[WU-076] says of which kinds there is none', async () => {
  await open([]);
  await screen.findByText('No related Devices found.');
  await screen.findByText('No related Work Units found.');
});

it('[WU-077] another work unit is found by title or number and linked', async () => {
  const other = { ...incident, workUnitId: 12, publicWorkUnitId: 1012, title: 'Carrier maintenance' };
  const search = ({ query }: ApiCall) => list(/contains|workUnitId eq 12/.test(query.get('$filter') ?? '') ? [other] : []);
  const { calls } = await open([], { 'GET /v1/workUnits': search, 'PUT /v1/workUnitRelations': {} });
  const box = await screen.findByLabelText('Link a work unit');
  const filters = () => calls.filter((call) => call.path === '/v1/workUnits').map((call) => call.query.get('$filter'));
  fireEvent.change(box, { target: { value: '12' } });
  await waitFor(() =>
    expect(filters()).toContain(`(workUnitId eq 12 or publicWorkUnitId eq 12) and (tenantId eq ${tenantId} and workUnitId ne 7)`),
  );
  fireEvent.change(box, { target: { value: 'carrier' } });
  await waitFor(() => expect(filters().some((filter) => filter?.startsWith("contains(folded(title),'carrier')"))).toBe(true));
  fireEvent.click(await screen.findByRole('option', { name: /Carrier maintenance/ }));
  await screen.findByText('Linked to work unit #1012.');
  expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({ workUnitId: 7, referenceId: '12', referenceType: 'WorkUnit' });
});

it('a link to a work unit can be taken away', async () => {
  const other = { ...incident, workUnitId: 12, publicWorkUnitId: 1012, title: 'Carrier maintenance' };
  const { calls } = await open([relation(5, 'WorkUnit', '12')], { 'GET /v1/workUnits': list([other]) });
  fireEvent.click(await screen.findByLabelText('Remove the link to #1012 Carrier maintenance'));
  await screen.findByText('“#1012 Carrier maintenance” is no longer linked to this work unit.');
  fireEvent.click(screen.getByText('Remove'));
  await waitFor(() => expect(calls.find((call) => call.method === 'DELETE')?.path).toBe('/v1/workUnitRelations/5'));
});

it('properties: what is not empty, and the pairs of its own', async () => {
  await renderApp(
    '/workunitsv2?workUnitId=7&tab=properties',
    answersFor({ ...incident, environment: 'Plant 7', referenceId: '', properties: '{"Rack":"7b","Slot":4}' }),
  );
  const properties = await proves('[WU-064] has its own section', () => grid('Work Unit Properties'));
  const named = (inside: typeof properties) =>
    Object.fromEntries(inside.getAllByRole('term').map((term) => [term.textContent, term.nextSibling?.textContent]));
  await proves('[WU-065] lists what is not empty', () => {
    expect(named(properties)).toMatchObject({
      Title: incident.title,
      Environment: 'Plant 7',
      Tenant: 'Northwind Energy',
      State: 'Acknowledged',
    });
    for (const empty of ['Description', 'Reference ID', 'Effort', 'Category']) expect(named(properties)).not.toHaveProperty(empty);
  });
  const additional = await proves('[WU-066] has a section of additional properties', () => grid('Additional Properties'));
  await proves('[WU-067] lists their pairs', () => expect(named(additional)).toEqual({ Rack: '7b', Slot: '4' }));
});

it('names the device, the operation and the block that the unit is about', async () => {
  const ids = {
    device: '01a1fcdb-e335-7785-970a-0000000000c1',
    operation: '01a1fcdb-e335-7785-970a-0000000000c2',
    block: '01a1fcdb-e335-7785-970a-0000000000c3',
  };
  const modified = '2026-11-20T08:00:00Z';
  await open([relation(1, 'DeviceOperation', ids.operation), relation(2, 'Device', ids.device), relation(3, 'Block', ids.block)], {
    'GET /v1/devices': list([{ deviceId: ids.device, name: 'srv-db-07', description: 'Orders', tenantId, modified }]),
    'GET /v1/deviceOperations': list([
      {
        deviceOperationId: ids.operation,
        deviceId: ids.device,
        label: 'Disk /var',
        tenantId,
        modified,
        device: { deviceId: ids.device, name: 'srv-db-07' },
      },
    ]),
    'GET /v1/blocks': list([{ blockId: ids.block, name: 'Pressure', description: null, tenantId, modified }]),
  });
  const device = await screen.findByRole('link', { name: 'srv-db-07' });
  expect(device.getAttribute('href')).toBe(`/${tenantId}/devices?id=${ids.device}`);
  const operation = await screen.findByRole('link', { name: 'Disk /var' });
  expect(operation.getAttribute('href')).toBe(`/${tenantId}/devices?operations=${ids.device}`);
  (await grid('Device Operation')).getByText('srv-db-07');
  (await grid('Block')).getByRole('link', { name: 'Pressure' });
});
