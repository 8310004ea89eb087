import '../../../testing/browser.ts';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { renderApp } from '../../../testing/render-app.tsx';
import { answersFor, incident, loadPanel } from '../panel/panel.fixtures.ts';

beforeAll(loadPanel);
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000).toISOString();
const ada = { way: 'page', name: 'Ada', userName: 'ada@northwind.example', first: minutesAgo(30), last: minutesAgo(2) } as const;
const mara = { way: 'page', name: 'Mara Okafor', userName: 'mara@northwind.example', first: minutesAgo(1), last: minutesAgo(1) } as const;
const bo = { way: 'page', name: 'Bo', userName: 'bo@northwind.example', first: minutesAgo(40), last: minutesAgo(40) } as const;
const link = { way: 'link', name: '', userName: null, first: minutesAgo(50), last: minutesAgo(50) } as const;

it('says in the header who else has seen the unit last, and in the timeline everybody', async () => {
  await renderApp('/workunitsv2?workUnitId=7', { ...answersFor(incident), workUnitSeen: { value: [mara, ada, bo, link] } });
  const line = await screen.findByText(/^seen by Ada/);
  expect(line.textContent).toBe('seen by Ada 2 min ago +1');
  const feed = within(await screen.findByRole('region', { name: 'Notes and history' }));
  await feed.findByText('Ada opened it for the first time');
  const words = feed.getAllByRole('listitem').map((entry) => entry.textContent);
  expect(words.filter((text) => text.includes('opened'))).toEqual([
    'Mara Okafor opened it for the first time1 min',
    'Ada opened it last2 min',
    'Ada opened it for the first time30 min',
    'Bo opened it for the first time40 min',
    'Somebody opened the link of a message for the first time50 min',
  ]);
});

it('says nothing in the header when nobody else has seen it', async () => {
  await renderApp('/workunitsv2?workUnitId=7', { ...answersFor(incident), workUnitSeen: { value: [mara, link] } });
  await screen.findByText('Mara Okafor opened it for the first time');
  expect(screen.queryByText(/^seen by/)).toBeNull();
});

it('tells once that the link of a message opened it, and forgets the message', async () => {
  const messageId = '01a1fcdb-e331-70c1-ba47-0000000000aa';
  const { inputsOf, router } = await renderApp(`/workunitsv2?workUnitId=7&message=${messageId}`, {
    ...answersFor(incident),
    'POST /v1/workunits/7/openedLink': {},
  });
  await waitFor(() => expect(inputsOf('openedLink')).toEqual([{ id: '7', messageId }]));
  await waitFor(() => expect(router.state.location.search).not.toContain('message'));
  expect(router.state.location.search).toContain('workUnitId=7');
});
