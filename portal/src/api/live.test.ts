import { expect, it, vi } from 'vitest';
import { makeInvalidator, readEvents } from './live.ts';

it('reads whole events and keeps the rest for later', () => {
  const events: [string | undefined, string][] = [];
  const rest = readEvents('id: 7\ndata: {"a":1}\n\n: ping\n\nid: 8\r\ndata: x\r\n\r\nid: 9\nda', (id, data) => events.push([id, data]));
  expect(events).toEqual([
    ['7', '{"a":1}'],
    ['8', 'x'],
  ]);
  expect(rest).toBe('id: 9\nda');
});

it('brings a changed entity up to date wherever it is shown, and presence at its own unit alone', () => {
  vi.useFakeTimers();
  const keys = [
    ['workUnits', 'list'],
    ['workUnitPresence', '7'],
    ['workUnitPresence', '8'],
    ['devices', 'list'],
    ['links', 'list'],
    ['packets', 'list'],
  ];
  const paths: string[] = [];
  const client = {
    invalidateQueries: ({ predicate }: { predicate: (query: unknown) => boolean }) => {
      for (const queryKey of keys) if (predicate({ queryKey })) paths.push(queryKey.join(' '));
    },
  };
  const rules = { shownIn: { workUnits: ['links'] }, debounceMs: { packets: 3_000 }, unmarked: ['packets'], byRow: ['workUnitPresence'] };
  const tell = makeInvalidator(client as never, rules);
  for (const id of ['7', '7', '9']) tell({ entity: 'workUnitPresence', id, verb: 'update', tenantId: null });
  tell({ entity: 'workUnits', id: '7', verb: 'update', tenantId: null });
  tell({ entity: 'packets', id: '1', verb: 'update', tenantId: null });
  vi.advanceTimersByTime(1_000);
  expect(paths.toSorted()).toEqual(['links list', 'workUnitPresence 7', 'workUnits list']);
  vi.advanceTimersByTime(2_500);
  vi.useRealTimers();
  expect(paths).toContain('packets list');
});
