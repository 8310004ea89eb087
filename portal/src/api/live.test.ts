import { expect, it } from 'vitest';
import { readEvents } from './live.ts';

it('reads whole events and keeps the rest for later', () => {
  const seen: [string | undefined, string][] = [];
  const rest = readEvents('id: 7\ndata: {"a":1}\n\n: ping\n\nid: 8\r\ndata: x\r\n\r\nid: 9\nda', (id, data) => seen.push([id, data]));
  expect(seen).toEqual([
    ['7', '{"a":1}'],
    ['8', 'x'],
  ]);
  expect(rest).toBe('id: 9\nda');
});
