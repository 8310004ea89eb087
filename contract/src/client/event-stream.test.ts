import { expect, it } from 'vitest';
import { readEvents } from './event-stream.ts';

it('reads whole events and keeps the rest for later', () => {
  const events: [string | undefined, string][] = [];
  const rest = readEvents('id: 7\ndata: {"a":1}\n\n: ping\n\nid: 8\r\ndata: x\r\n\r\nid: 9\nda', (id, data) => events.push([id, data]));
  expect(events).toEqual([
    ['7', '{"a":1}'],
    ['8', 'x'],
  ]);
  expect(rest).toBe('id: 9\nda');
});
