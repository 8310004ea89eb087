import { expect, it } from 'vitest';
import { loginUrl, requestedUrl } from './request-url.ts';

it('[AUTH-010] keeps the requested address', () => {
  expect(loginUrl('/workunitsv2?workUnitId=7')).toBe('/user/login?requestUrl=%2Fworkunitsv2%3FworkUnitId%3D7');
  expect(requestedUrl('/rules?q=a%20b#top')).toBe('/rules?q=a%20b#top');
});

it('[AUTH-011] never nests a login page in itself', () => {
  expect(loginUrl('/user/login?requestUrl=%2Frules')).toBe('/user/login');
  expect(loginUrl('/7b7c/user/login')).toBe('/user/login');
  const nested = [
    '/user/login?requestUrl=%2Fuser%2Flogin',
    '/user/login#top',
    '/user/callback/',
    '/User/AccessDenied',
    '/rules/../user/login',
  ];
  for (const page of nested) expect([page, requestedUrl(page)]).toEqual([page, '/']);
  // Pages that are only named alike.
  for (const page of ['/user/login/7', '/rules?q=/user/login']) expect(requestedUrl(page)).toBe(page);
});

it('never leads to another site', () => {
  const others = ['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example', '/\n\\evil.example', '/.//evil.example'];
  for (const other of [...others, 'evil', '', '//', null, undefined]) expect([other, requestedUrl(other)]).toEqual([other, '/']);
});
