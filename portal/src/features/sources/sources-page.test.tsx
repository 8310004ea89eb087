import '../../testing/browser.ts';
import { fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { list, refused, renderApp, tenantId, type Answers } from '../../testing/render-app.tsx';
import { sourceTexts } from '@cloudfit/contract/messages/sources.en.ts';
import { sourceKinds } from '@cloudfit/contract/sources/kinds.ts';
import { samplePayload } from '@cloudfit/contract/sources/samples.ts';
import { pasteLine } from './paste-line.ts';
import { rateNow } from './source-row.ts';

const source = (over: object = {}) => ({
  sourceId: '01a1fcdb-e331-70c1-ba47-000000000301',
  name: 'Plant alerts',
  kind: 'Alertmanager',
  tenantId,
  subscriptionId: 's1',
  enabled: true,
  opensUnits: true,
  unknownEntities: 'Create',
  entityCap: 500,
  entitiesMade: 12,
  deviceName: null,
  blockName: '{alertname} {rest}',
  mapping: null,
  clock: 'Sent',
  tokenHint: 'cfso_…ab12',
  lastData: '2026-01-01T00:00:00.000Z',
  perHour: 240,
  packetsStored: 1_234,
  packetsRefused: 7,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  ...over,
});
const id = source().sourceId;
const generatedToken = 'cfso_violetTractorMarzipan';

beforeEach(() => localStorage.clear());

const open = (query = '', more: Answers = {}) =>
  renderApp(`/${tenantId}/sources${query}`, {
    'GET /v1/sources': list([source()]),
    [`GET /v1/sources(${id})`]: source(),
    'PUT /v1/sources': source({ generatedToken }),
    sourceRefusals: { value: [] },
    ...more,
  });
const panel = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

it('makes a source, and shows what to paste once, with the token', async () => {
  const { inputsOf, calls } = await open('?id=new');
  const form = await panel('Create Source');
  fireEvent.change(form.getByLabelText(/^Name/, { selector: '[maxlength="100"]' }), { target: { value: 'Plant alerts' } });
  expect(form.queryByLabelText(/^Opens work units/)).toBeNull();
  fireEvent.change(form.getByLabelText(/^Sends/), { target: { value: 'Alertmanager' } });
  form.getByLabelText(/^Opens work units/);
  fireEvent.click(form.getByRole('button', { name: 'Create' }));
  const ready = within(await screen.findByRole('region', { name: 'The source Plant alerts is ready' }));
  const line = ready.getByRole('group', { name: 'To paste' }).textContent;
  expect(line).toContain(`- url: ${location.origin}/v1/intake/${id}`);
  expect(line).toContain(`credentials: ${generatedToken}`);
  expect(calls.find(({ method, path }) => method === 'PUT' && path === '/v1/sources')?.body).toMatchObject({
    name: 'Plant alerts',
    kind: 'Alertmanager',
    tenantId,
  });
  expect(inputsOf('newSourceToken')).toEqual([]);
  fireEvent.click(ready.getByRole('button', { name: 'Hide the token' }));
  expect(screen.queryByText(new RegExp(generatedToken))).toBeNull();
});

it('says what a source has sent, warns near its cap, and gives it a new token', async () => {
  const row = source({ entitiesMade: 450 });
  const { inputsOf } = await open(`?id=${id}`, {
    [`GET /v1/sources(${id})`]: row,
    'GET /v1/sources': list([row]),
    newSourceToken: { sourceId: id, generatedToken },
  });
  const open_ = await panel(/Plant alerts/);
  open_.getByText('450 of 500');
  open_.getByText('1,234');
  open_.getByText(/further ones will be refused/);
  expect(open_.getByRole('group', { name: 'To paste' }).textContent).toContain('credentials: YOUR_TOKEN');
  fireEvent.click(open_.getByRole('button', { name: 'New token' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'New token' })).getByRole('button', { name: 'New token' }));
  const ready = within(await screen.findByRole('region', { name: 'The source Plant alerts is ready' }));
  expect(ready.getByRole('group', { name: 'To paste' }).textContent).toContain(generatedToken);
  expect(inputsOf('newSourceToken')).toEqual([{ id }]);
});

it('says that a source that must report is late, with its work unit', async () => {
  const row = source({ reportWithin: '00:10:00', lateSeverity: 'Sev2', lateSince: '2026-01-01T00:20:00.000Z', lateWorkUnitId: 77 });
  await open(`?id=${id}`, { [`GET /v1/sources(${id})`]: row, 'GET /v1/sources': list([row]) });
  const shown = await panel(/Plant alerts/);
  shown.getByText('Late');
  expect(shown.getByRole('link', { name: 'Open the work unit' }).getAttribute('href')).toBe(`/${tenantId}/workunitsv2?workUnitId=77`);
  shown.getByLabelText(/^Severity when late/);
  shown.getByLabelText(/^Protocol when late/);
});

it('shows why items were refused', async () => {
  await open(`?id=${id}&tab=refused`, {
    sourceRefusals: {
      value: [
        {
          code: 'CapReached',
          message: 'The source has made 500.',
          sample: '{"labels":{}}',
          count: 3,
          first: '2026-01-01T00:00:00.000Z',
          last: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
  });
  const reasons = within(await screen.findByRole('region', { name: 'Refused items' }));
  reasons.getByText('The source has made 500.');
  reasons.getByText(/3 times/);
  expect(reasons.getByRole('group', { name: 'Sample' }).textContent).toContain('"labels": {}');
});

it('tries a payload, and says what is wrong with one that cannot be read', async () => {
  let isUnreadable = false;
  const tried = {
    value: [
      { entity: { kind: 'block' as const, name: 'DiskFull web-1', is: 'new' as const }, message: { Value: 'firing' } },
      { refusal: 'No name.' },
    ],
    more: 2,
  };
  const { inputsOf } = await open(`?id=${id}&tab=try`, {
    trySource: () => (isUnreadable ? refused(400, 'The body is not valid JSON.')() : tried),
  });
  const box = await screen.findByLabelText('Payload');
  expect((screen.getByRole('button', { name: 'Try' }) as HTMLButtonElement).disabled).toBe(true);
  fireEvent.change(box, { target: { value: '{"alerts":[]}' } });
  fireEvent.click(screen.getByRole('button', { name: 'Try' }));
  const result = within(await screen.findByRole('region', { name: 'It would become' }));
  result.getByText('DiskFull web-1');
  result.getByText('Will be new');
  result.getByText('No name.');
  result.getByText('and 2 more');
  expect(inputsOf('trySource')).toEqual([{ id, body: '{"alerts":[]}' }]);
  isUnreadable = true;
  fireEvent.click(screen.getByRole('button', { name: 'Try' }));
  await screen.findByText('The body is not valid JSON.');
  expect(screen.queryByText('DiskFull web-1')).toBeNull();
});

it('inserts a sample of what the source is sent', async () => {
  const { inputsOf } = await open(`?id=${id}&tab=try`, { trySource: { value: [], more: 0 } });
  fireEvent.click(await screen.findByRole('button', { name: 'Insert a sample' }));
  fireEvent.click(screen.getByRole('button', { name: 'Try' }));
  await screen.findByText(/says nothing that would be stored/);
  expect(inputsOf('trySource')).toEqual([{ id, body: samplePayload('Alertmanager', Date.now()) }]);
});

it.each(sourceKinds)('says what to paste for %s, with the address and the token', (kind) => {
  const line = pasteLine({ kind }, 'https://x.example/v1/intake/s', 'cfso_t');
  expect(line).toContain('https://x.example/v1/intake/s');
  expect(line).toContain('cfso_t');
  expect(sourceTexts.how[kind]).toMatch(/\w/);
});

it('lets the rate fall while nothing arrives', () => {
  const at = Date.parse('2026-01-01T00:00:00Z');
  expect(rateNow({ perHour: 240, lastData: '2026-01-01T00:00:00Z' }, at)).toBe(4);
  expect(rateNow({ perHour: 240, lastData: '2026-01-01T00:00:00Z' }, at + 3_600_000)).toBeLessThan(0.001);
  expect(rateNow({ perHour: 0, lastData: null }, at)).toBe(0);
});
