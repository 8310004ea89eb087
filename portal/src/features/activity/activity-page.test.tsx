/** The activity page with its ledger and receivers, and the page of an execution. */
import '../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { LedgerEntry } from '@cloudfit/contract/actions/ledger.ts';
import { list, renderApp, tenantId } from '../../testing/render-app.tsx';

const [messageId, ruleId, deviceId, matchId] = [1, 2, 3, 4].map((n) => `01a1fcdb-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const time = '2026-11-22T14:12:30.000Z';

const entry = (part: Partial<LedgerEntry>): LedgerEntry => ({
  kind: 'action',
  state: 'failed',
  id: messageId,
  tenantId,
  since: time,
  ageSeconds: 60,
  cause: 'HTTP 500',
  ruleId: null,
  subject: null,
  correlationId: null,
  title: null,
  subjectName: null,
  actionHistoryId: null,
  nextTry: null,
  isDead: false,
  ...part,
});

const entries = [
  entry({ title: 'Page on-call', actionHistoryId: 7 }),
  entry({ state: 'waiting', title: 'Call the desk', actionHistoryId: 8, id: matchId, nextTry: '2099-01-01T00:00:00.000Z' }),
  entry({ kind: 'job', id: '14', title: 'run-action', subject: 'run-action', isDead: true, cause: 'gave up' }),
  entry({ kind: 'job', id: '15', title: 'run-action', subject: 'run-action', state: 'late', cause: 'its execution is listed' }),
  entry({ kind: 'packet', state: 'late', ruleId, subject: deviceId, title: 'CPU high', subjectName: 'db-1', cause: 'Came too late.' }),
  entry({ state: 'suppressed', id: ruleId, title: 'Mail the team', actionHistoryId: 9, cause: 'late' }),
];

const answers = {
  ledger: { value: entries },
  'GET /v1/destinations': list([
    {
      destinationId: deviceId,
      tenantId,
      origin: 'https://pager.example.com',
      failures: 7,
      pausedUntil: time,
      disabled: null,
      lastError: 'HTTP 500',
    },
  ]),
  replayExecution: { id: matchId, replayOf: messageId },
  tryExecutionNow: { isUnderWay: false },
  replayJob: {},
  [`DELETE /v1/destinations/${deviceId}`]: new Response(null, { status: 204 }),
};

beforeEach(() => localStorage.clear());

const rowOf = (text: string) => within(screen.getByText(text).closest('li') as HTMLElement);
const posted = (calls: readonly { method: string; path: string }[]) =>
  calls.filter((call) => call.method !== 'GET').map((call) => `${call.method} ${call.path}`);

it('lists by state and kind, and offers what can be done about each', async () => {
  const { calls, search } = await renderApp(`/${tenantId}/activity`, answers);
  await screen.findByText('Page on-call');
  expect(screen.queryByText('its execution is listed')).toBeNull();
  expect(screen.getByText('It came too late.')).toBeTruthy();
  expect(rowOf('CPU high').getByText('for db-1')).toBeTruthy();
  expect(rowOf('CPU high').getByRole('link', { name: 'Why? CPU high' }).getAttribute('href')).toBe(
    `/${tenantId}/why?${new URLSearchParams({ rule: ruleId, entity: deviceId, at: time })}`,
  );
  expect(screen.getByRole('link', { name: 'Page on-call' }).getAttribute('href')).toBe(`/${tenantId}/executions/${messageId}`);

  fireEvent.click(rowOf('Call the desk').getByRole('button', { name: 'Try now: Call the desk' }));
  await waitFor(() => expect(posted(calls)).toContain('POST /v1/actionHistories/8/tryNow'));
  expect(rowOf('Call the desk').getByRole('button', { name: 'Stop Call the desk' })).toBeTruthy();
  fireEvent.click(rowOf('Run an action').getByRole('button', { name: 'Try again: Run an action' }));
  await waitFor(() => expect(posted(calls)).toContain('POST /v1/jobs/14/replay'));
  fireEvent.click(rowOf('Page on-call').getByRole('button', { name: 'Run again: Page on-call' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Run this action again?' })).getByRole('button', { name: 'Run again' }));
  await waitFor(() => expect(posted(calls)).toContain('POST /v1/actionHistories/7/replay'));

  fireEvent.click(screen.getByRole('button', { name: 'Waits 1' }));
  await waitFor(() => expect(screen.queryByText('Page on-call')).toBeNull());
  expect(search().get('state')).toBe('waiting');
});

it('resets the circuit breaker of a receiver', async () => {
  const { calls } = await renderApp(`/${tenantId}/activity`, answers);
  fireEvent.click(await screen.findByRole('button', { name: 'Call again now: https://pager.example.com' }));
  await waitFor(() => expect(posted(calls)).toContain(`DELETE /v1/destinations/${deviceId}`));
});

it('shows one execution with its tries, its unit by the public number, and runs it again when it has ended', async () => {
  const execution = {
    actionHistoryId: 7,
    tenantId,
    actionDefinitionId: ruleId,
    actionProcessed: time,
    resultStatusId: 2,
    inputParameters: '{}',
    resultDetail: { error: 'HTTP 500' },
    correlationId: deviceId,
    referenceId: '503',
    messageId,
    workUnitId: 503,
    protocolActionId: null,
    keptSince: null,
    nextTry: null,
    actionDefinition: { name: 'Page on-call' },
    workUnit: { workUnitId: 503, publicWorkUnitId: 1503, title: 'Pump 4' },
  };
  const { calls } = await renderApp(`/${tenantId}/executions/${messageId}`, {
    'GET /v1/actionHistories': list([execution]),
    'GET /v1/actionTries': list([
      {
        actionTryId: 1,
        actionHistoryId: 7,
        number: 1,
        started: time,
        status: 500,
        durationMs: 41,
        target: 'POST https://x',
        sent: '{}',
        error: 'HTTP 500',
      },
    ]),
  });
  await screen.findByRole('heading', { name: 'Execution of Page on-call' });
  expect(screen.getByRole('link', { name: '#1503 Pump 4' }).getAttribute('href')).toBe('/workunitsv2?workUnitId=503');
  expect(await screen.findByText('500 · HTTP 500')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Run again: Page on-call' })).toBeTruthy();
  expect(calls.find((call) => call.path === '/v1/actionHistories')?.query.get('$filter')).toBe(`messageId eq ${messageId}`);
});
