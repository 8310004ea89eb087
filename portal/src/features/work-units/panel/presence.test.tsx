/** Who looks at a unit and who edits it. */
import '../../../testing/browser.ts';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { presenceBeatSeconds, presenceEntity, type Presence } from '@cloudfit/contract/presence.ts';
import { queryClient } from '../../../api/query-client.ts';
import { type ApiCall } from '../../../testing/render-app.tsx';
import { unit, open, type, startAfresh } from './saving.fixtures.ts';

beforeEach(startAfresh);

it('tells that it looks, edits and goes, and shows who else is there', async () => {
  const others: Presence[] = [
    { name: 'Tom Berg', userName: 'tom@northwind.example', state: 'editing', since: unit.created },
    { name: 'Ana Lima', userName: 'ana@northwind.example', state: 'looking', since: unit.created },
  ];
  const { calls, unmount } = await open({ workUnitPresence: { value: others } });
  expect((await screen.findByTitle('Tom Berg is editing this work unit (tom@northwind.example)')).textContent).toContain('TB');
  expect(screen.getByTitle('Ana Lima is looking at this work unit (ana@northwind.example)')).toBeTruthy();
  await type('Title', 'Gateway is back');
  const presenceStates = () =>
    calls.filter((call) => call.path.endsWith('/presence')).map((call) => (call.body as { state: string }).state);
  await waitFor(() => expect(presenceStates()).toEqual(['looking', 'editing']));
  unmount();
  await waitFor(() => expect(presenceStates()).toEqual(['looking', 'editing', 'gone']));
});

it('tells that it edits when the editing began while the first report was on its way', async () => {
  let answer: (() => void) | undefined;
  const reported: string[] = [];
  await open({
    'POST /v1/workunits/7/presence': ({ body }: ApiCall) => {
      reported.push((body as { state: string }).state);
      return reported.length > 1 ? { value: [] } : new Promise((resolve) => (answer = () => resolve({ value: [] })));
    },
  });
  await waitFor(() => expect(reported).toEqual(['looking']));
  await type('Title', 'Gateway is back');
  await screen.findByText('1 unsaved change');
  answer?.();
  // The edit is reported at once, before the next regular report.
  await waitFor(() => expect(reported).toEqual(['looking', 'editing']), { timeout: (presenceBeatSeconds * 1_000) / 2 });
});

it('tells nobody that a unit is looked at while the portal is seen as another person', async () => {
  const waiting = () => queryClient.getQueryState([presenceEntity, '7'])?.fetchStatus;
  sessionStorage.setItem(
    'seeAs',
    JSON.stringify({ seeAsId: 's1', name: 'Tom Berg', expires: new Date(Date.now() + 600_000).toISOString() }),
  );
  const { calls, unmount } = await open();
  await screen.findAllByText(/: Gateway is silent$/);
  await waitFor(() => expect(waiting()).toBe('idle'));
  unmount();
  expect(calls.filter(({ path }) => path.endsWith('/presence'))).toEqual([]);
});
