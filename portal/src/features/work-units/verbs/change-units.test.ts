/** What a change of units reads again. */
import { QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refreshAround, showRows } from './change-units.ts';

/** Shows a row of units whose reads are answered by the test, one after the other. */
function shownRow(id: number) {
  const answers: ((row: object) => void)[] = [];
  const queryFn = () => new Promise<object>((answer) => answers.push(answer));
  const observer = new QueryObserver(queryClient, { queryKey: ['workUnits', 'row', String(id), undefined], queryFn });
  const stop = observer.subscribe(() => undefined);
  return { answers, stop, state: () => (observer.getCurrentResult().data as { stateId?: string } | undefined)?.stateId };
}

it('reads the row again whose read had begun before its change, be it the first or a later one', async () => {
  const before = { workUnitId: 7, stateId: 'New' };
  const after = { ...before, stateId: 'Acknowledged' } as Row<typeof workUnits>;
  const { answers, stop, state } = shownRow(7);
  const change = () => {
    showRows([after]);
    refreshAround([7]);
  };
  change();
  answers[0]?.(before);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.(after);
  await expect.poll(state).toBe('Acknowledged');
  // What is at rest already shows the stored row.
  change();
  expect(answers).toHaveLength(2);
  void queryClient.invalidateQueries({ queryKey: ['workUnits', 'row'] });
  expect(answers).toHaveLength(3);
  change();
  answers[2]?.(before);
  await expect.poll(() => answers.length).toBe(4);
  answers[3]?.(after);
  await expect.poll(state).toBe('Acknowledged');
  stop();
});
