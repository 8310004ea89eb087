/** Saves a unit while other people save it: requests, merges, choices, and that no typed text is lost. */
import '../../../testing/browser.ts';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { refused, type ApiCall } from '../../../testing/render-app.tsx';
import { conflictText, server, patch, open, field, type, save, elseChanges, startAfresh } from './saving.fixtures.ts';

beforeEach(startAfresh);

it('sends only what changed, each with a test of what it was', async () => {
  const { calls } = await open();
  await type('Title', 'Gateway is back');
  save();
  await screen.findByText('Work unit saved.');
  expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual([
    { op: 'test', path: '/title', value: 'Gateway is silent' },
    { op: 'replace', path: '/title', value: 'Gateway is back' },
  ]);
});

it('merges changes of other fields into the form without a word, and saves over none of them', async () => {
  const { calls } = await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ severityId: 'Sev3' });
  await waitFor(async () => expect((await field('Severity')).value).toBe('Sev3'));
  expect((await field('Title')).value).toBe('Gateway is back');
  expect(screen.queryByRole('region', { name: 'Changed by somebody else too' })).toBeNull();
  save();
  await screen.findByText('Work unit saved.');
  expect(calls.filter((call) => call.method === 'PATCH').map((call) => (call.body as unknown[]).length)).toEqual([2]);
  expect(server.unit).toMatchObject({ title: 'Gateway is back', severityId: 'Sev3' });
});

it('calls it no change when somebody else typed the same', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ title: 'Gateway is back' });
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true));
});

it('shows a conflict field by field after a refused save; mine stays when it is chosen', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await type('Description', 'A fuse.');
  server.unit = { ...server.unit, title: 'Gateway 7 is silent', description: 'A cable.', severityId: 'Sev3' };
  save();
  await proves('[ERR-051] says so in these words', async () =>
    expect((await screen.findAllByText(conflictText)).length).toBeGreaterThan(0),
  );
  const title = await proves('[ERR-050] takes the refusal for a conflict', async () => {
    const box = await screen.findByRole('region', { name: 'Changed by somebody else too' });
    return within(await within(box).findByRole('group', { name: 'Title' }));
  });
  for (const text of ['Gateway is back', 'Gateway 7 is silent', 'Gateway is silent']) expect(title.getByText(text)).toBeTruthy();
  await title.findByText(/changed by tom/);
  expect((await field('Title')).value).toBe('Gateway is back');

  fireEvent.click(title.getByRole('button', { name: 'Keep mine: Title “Gateway is back”' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Take theirs: Description “A cable.”' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Changed by somebody else too' })).toBeNull());
  expect([(await field('Title')).value, (await field('Description')).value]).toEqual(['Gateway is back', 'A cable.']);
  save();
  await waitFor(() => expect(server.unit).toMatchObject({ title: 'Gateway is back', description: 'A cable.', severityId: 'Sev3' }));
});

it('shows a conflict as soon as it arises, and hands the focus on', async () => {
  await open();
  await type('Title', 'Gateway is back');
  await elseChanges({ title: 'Gateway 7 is silent' });
  const take = await screen.findByRole('button', { name: 'Take theirs: Title “Gateway 7 is silent”' });
  expect(screen.getByText('A field that you are changing was changed by somebody else. Choose which value stays.')).toBeTruthy();
  take.focus();
  fireEvent.click(take);
  await waitFor(async () => expect((await field('Title')).value).toBe('Gateway 7 is silent'));
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
});

it('keeps what is typed while a save is under way', async () => {
  let release = (): void => undefined;
  const answered = new Promise<void>((done) => (release = done));
  /** Answers a patch late. */
  const late = (call: ApiCall) => {
    const body = new TextEncoder().encode(JSON.stringify(patch(call)));
    return new Response(new ReadableStream({ start: (stream) => void answered.then(() => (stream.enqueue(body), stream.close())) }));
  };
  const { calls } = await open({ 'PATCH /v1/workUnits/7': late });
  await type('Title', 'Gateway is back');
  save();
  await waitFor(() => expect(server.unit).toMatchObject({ title: 'Gateway is back' }));
  await type('Title', 'Gateway is back again');
  release();
  await screen.findByText('Work unit saved.');
  expect((await field('Title')).value).toBe('Gateway is back again');
  save();
  await waitFor(() => expect(server.unit).toMatchObject({ title: 'Gateway is back again' }));
  expect(calls.filter((call) => call.method === 'PATCH')[1]?.body).toMatchObject([{ op: 'test', value: 'Gateway is back' }, {}]);
});

it.each([
  [
    '[ERR-052]',
    400,
    [{ target: 'title', message: 'Please enter the title' }],
    'Please enter the title Please refresh the Work Unit and try again.',
  ],
  ['[ERR-053]', 400, [], 'Invalid user input was sent to the API. Please verify your input and try again.'],
  [
    '[ERR-054]',
    503,
    [],
    'A server error prevented saving this Work Unit. These errors are often temporary. Please retry saving in just a moment.',
  ],
  ['[ERR-055]', 0, [], 'An unknown error has occurred. Please retry saving in just a moment.'],
])('%s a save that fails with %i keeps what was typed and says why', async (_id, status, details, text) => {
  const answer = () => {
    if (status === 0) throw new TypeError('Failed to fetch');
    return refused(status, 'No.', details)();
  };
  await open({ 'PATCH /v1/workUnits/7': answer });
  await type('Title', 'Gateway is back');
  save();
  await screen.findByText(text);
  expect((await field('Title')).value).toBe('Gateway is back');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(false);
});

it('shows nothing of the unit any longer when the right to see it is taken away, or when it is gone', async () => {
  let left: (() => Response) | undefined;
  await open({ 'GET /v1/workUnits(7)': () => left?.() ?? Response.json(server.unit) });
  await field('Title');
  left = refused(403, 'You do not have access to one or more requested resources');
  await elseChanges({});
  expect(await screen.findByText('You do not have access to one or more requested resources', { selector: '.state *' })).toBeTruthy();
  expect(screen.queryByText('Nobody knows why.')).toBeNull();
  expect(screen.queryByLabelText(/^Title/)).toBeNull();
  left = refused(404, 'Not found.');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/was not found. It may have been deleted/)).toBeTruthy();
});
