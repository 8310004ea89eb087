/** An export has each column of the list, under its heading, also when its texts need data that is not in the row. */
import '../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { onCallTexts } from '@cloudfit/contract/messages/on-call.en.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { list, renderApp, tenantId, type Answers, type ApiCall } from '../testing/render-app.tsx';

const { files } = vi.hoisted(() => ({ files: [] as [string, string][] }));
vi.mock('../components/save-file.ts', () => ({ saveCsv: (name: string, content: string) => files.push([name, content]) }));

const id = '01a1fcdb-e335-7785-970a-52804d43e600';

function value(field: Field): unknown {
  const [choice] = field.choices ?? [];
  if (choice) return choice.value;
  const byKind: Partial<Record<Field['kind'], unknown>> = {
    guid: id,
    bigint: 7,
    int: 7,
    decimal: 7.5,
    boolean: true,
    timestamp: '2026-11-20T10:00:00.000Z',
    time: '10:00:00',
  };
  const ofKind = byKind[field.kind];
  if (ofKind !== undefined) return ofKind;
  return field.kind === 'text' ? `Some ${field.label}` : [];
}

function rowOf(resource: Resource, depth = 1): Record<string, unknown> {
  const fields = Object.entries(resource.fields).map(([name, field]) => [name, value(field)] as const);
  const relations = Object.entries(resource.relations).map(([name, { to, many }]) => {
    const target = resources.find((resource) => resource.name === to);
    return [name, many ? [] : target && depth > 0 ? rowOf(target, depth - 1) : null] as const;
  });
  return { ...Object.fromEntries(fields), ...Object.fromEntries(relations), tenantId };
}

/** The answers for a resource: one row for the list of the screen and for its export, no rows for other reads. */
function answersOf(name: string, values: object = {}): Answers {
  const resource = (resources as readonly Resource[]).find((resource) => resource.name === name);
  if (!resource) throw new Error(`There is no resource ${name}.`);
  const page = ({ query }: ApiCall) =>
    query.has('$apply') || !query.has('$orderby') ? list([]) : list([{ ...rowOf(resource), ...values }]);
  return { [`GET /v1/${name}`]: page, [`GET /v1/${name}/Export()`]: page };
}

/** Headings of columns that contain only buttons. */
const buttons = ['Actions', 'Edit', 'Change', onCallTexts.take, ''];

beforeEach(() => {
  files.length = 0;
  localStorage.clear();
});

const headers = (): string[] => {
  const [row] = within(screen.getByRole('table')).getAllByRole('row');
  return within(row as HTMLElement)
    .getAllByRole('columnheader')
    .map((cell) => cell.textContent?.replace(/[\d↑↓]+$/, '').trim() ?? '');
};

/** The cells of a line of the last file. */
const line = (n: number): string[] =>
  [
    ...(files
      .at(-1)?.[1]
      .split('\r\n')
      [n]?.matchAll(/"((?:[^"]|"")*)"/g) ?? []),
  ].map(([, cell = '']) => cell);

it.each([
  ['workunitsv2?f=', 'workUnits'],
  ['devices', 'devices'],
  ['campaigns', 'campaigns'],
  ['workunitcommunications', 'workUnitCommunications'],
  ['rules', 'rules'],
  ['workunitsettings', 'workUnitCategories'],
  ['packages', 'packages'],
  ['publishers', 'publishers'],
  ['mibs', 'mibs'],
  ['servicelevels', 'serviceLevels'],
  ['workingcalendars', 'workingCalendars'],
  ['versionreport', 'complianceReport'],
  ['protocols', 'protocols'],
  ['oncall', 'onCallSchedules'],
  ['actioncatalog', 'actionDefinitions'],
  ['tenants', 'tenants'],
  ['tokens', 'tokens'],
  ['pendingdevices', 'pendingDevices'],
  ['people', 'people'],
  ['audit', 'audit'],
  ['access', 'grants'],
  ['invitations', 'invitations'],
  ['permissionsets', 'permissionSets'],
  ['maintenance', 'maintenanceWindows'],
  ['matches', 'ruleMatches'],
  ['outbox', 'outboxMessages'],
  ['statuspages', 'statusPages'],
  ['dashboards', 'dashboards'],
  ['locations', 'locations'],
])('%s: page and all have the columns of the list', async (screenName, name) => {
  const failed = vi.spyOn(console, 'warn').mockClear();
  await renderApp(`/${tenantId}/${screenName}`, answersOf(name));
  await waitFor(() => expect((screen.getByRole('button', { name: 'Export Page' }) as HTMLButtonElement).disabled).toBe(false), {
    timeout: 5_000,
  });
  const shown = headers().filter((name) => !buttons.includes(name));
  expect(shown.length).toBeGreaterThan(1);
  for (const button of ['Export Page', 'Export All']) {
    const before = files.length;
    fireEvent.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect([files.length, failed.mock.calls]).toEqual([before + 1, []]), { timeout: 5_000 });
    expect(line(0)).toEqual(expect.arrayContaining(shown));
  }
  expect(files[1]?.[1]).toBe(files[0]?.[1]);
});

/** The cells of the first row of "Export All", by heading. */
async function exportedRow(screenName: string, name: string, row: object, more: Answers = {}): Promise<Record<string, string>> {
  await renderApp(`/${tenantId}/${screenName}`, { ...answersOf(name, row), ...more });
  await waitFor(() => expect((screen.getByRole('button', { name: 'Export All' }) as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(screen.getByRole('button', { name: 'Export All' }));
  await waitFor(() => expect(files).toHaveLength(1));
  const cells = line(1);
  return Object.fromEntries(line(0).map((heading, n) => [heading, cells[n] ?? '']));
}

it('People has the tenants of a person, by name', async () => {
  const grants = [{ tenantId }];
  expect(await exportedRow('people', 'people', { grants })).toMatchObject({ Tenants: 'Northwind Energy' });
});

it('Matches has the status, the value that was seen and what followed', async () => {
  const row = {
    expires: '2026-01-01T00:00:00.000Z',
    rule: { name: 'Hot', conditions: [{ LeftOperandFieldName: 'Cpu' }] },
    rulePacket: { Metrics: { Cpu: 95 } },
    inMaintenance: false,
    heldSince: null,
  };
  const unit = { workUnitId: 1, publicWorkUnitId: 1_007, title: 'Hot' };
  const relations = list([{ referenceId: id, workUnit: unit }]);
  expect(await exportedRow('matches', 'ruleMatches', row, { 'GET /v1/workUnitRelations': relations })).toMatchObject({
    Status: 'Inactive',
    Value: 'Cpu 95',
    'What followed': '#1007',
  });
});

it('Devices has the readings of its latest packet', async () => {
  const packet = {
    entityId: id,
    timestamp: new Date().toISOString(),
    message: { Metrics: { Cpu: 12.4, Memory: 3.25 }, Properties: { AgentVersion: '2.1' } },
  };
  const row = { enabled: true, cutOffOn: null };
  const exported = await exportedRow('devices', 'devices', row, { 'GET /v1/packets': list([packet]) });
  expect(exported).toMatchObject({ [deviceTexts.cpu]: '12', [deviceTexts.memory]: '3.3', [deviceTexts.agent]: '2.1' });
});
