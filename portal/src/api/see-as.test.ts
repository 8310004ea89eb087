/** The impersonation of a tab: what it allows, what it sends, and when it is over. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';
import { currentImpersonation, impersonationHeaders, usable } from './see-as.ts';

const all = new Set([
  'CloudFit.CFS.Devices:view',
  'CloudFit.CFS.Devices:edit',
  'CloudFit.CFS.WorkUnits:view:mine',
  'CloudFit.CFS.Reviews:viewer',
]);
const impersonate = (expires: string) => sessionStorage.setItem('seeAs', JSON.stringify({ seeAsId: 's1', name: 'Tom', expires }));

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-05-04T08:00:00Z') }));
afterEach(() => {
  sessionStorage.clear();
  vi.useRealTimers();
});

it('allows all without an impersonation, and sends no header', () => {
  expect([currentImpersonation(), impersonationHeaders(), usable(all)]).toEqual([undefined, {}, all]);
});

it('allows to view alone until it expires, and names itself in each request', () => {
  impersonate('2026-05-04T09:00:00Z');
  expect([...usable(all)]).toEqual(['CloudFit.CFS.Devices:view', 'CloudFit.CFS.WorkUnits:view:mine']);
  expect(impersonationHeaders()).toEqual({ [seeAsHeader]: 's1' });
  vi.setSystemTime(Date.parse('2026-05-04T09:00:00Z'));
  expect([currentImpersonation(), impersonationHeaders(), usable(all)]).toEqual([undefined, {}, all]);
});

it('is none when what is stored cannot be read', () => {
  sessionStorage.setItem('seeAs', '{"seeAsId"');
  expect(currentImpersonation()).toBeUndefined();
});
