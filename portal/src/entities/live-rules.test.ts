import '../testing/browser.ts';
import { QueryClient } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { makeInvalidator } from '../api/live.ts';
import { liveRules } from './live-rules.ts';

it('reads the tries of an execution again when it ends', () => {
  vi.useFakeTimers();
  const client = new QueryClient();
  const keys = [
    ['actionTries', 'list'],
    ['devices', 'list'],
  ];
  for (const queryKey of keys) client.setQueryData(queryKey, []);
  makeInvalidator(client, liveRules)({ entity: 'actionHistories', id: '1', verb: 'update', tenantId: null });
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  expect(keys.map((queryKey) => client.getQueryState(queryKey)?.isInvalidated)).toEqual([true, false]);
});
