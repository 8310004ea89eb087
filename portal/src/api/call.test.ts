import { afterEach, expect, it, vi } from 'vitest';
import { accessOfPerson } from '@cloudfit/contract/calls.ts';
import { call, callQuery } from './call.ts';

afterEach(() => vi.unstubAllGlobals());

it('has a key by which changes of the entity refresh the answer', () => {
  expect(callQuery(accessOfPerson, { id: 'p' }, { refreshedBy: 'grants' }).queryKey).toEqual(['grants', accessOfPerson, { id: 'p' }]);
});

it('returns the answer as JSON', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ grants: [], groups: ['ops'] })));
  const { groups } = await call(accessOfPerson, { id: 'p' });
  expect(groups).toEqual(['ops']);
});
