import { expect, it } from 'vitest';
import { loginUrl, requestedUrl } from './request-url.ts';

it('[AUTH-010] keeps the requested address', () => {
  expect(loginUrl('/workunitsv2?workUnitId=7')).toBe('/user/login?requestUrl=%2Fworkunitsv2%3FworkUnitId%3D7');
});
it('[AUTH-011] never nests a login page in itself', () => {
  expect(loginUrl('/user/login?requestUrl=%2Frules')).toBe('/user/login');
  expect(loginUrl('/7b7c/user/login')).toBe('/user/login');
  expect(requestedUrl('/user/login?requestUrl=%2Fuser%2Flogin')).toBe('/');
});
it('never leads to another site', () => {
  for (const evil of ['https://evil.example', '//evil.example', '/\\evil.example', null]) expect(requestedUrl(evil)).toBe('/');
});
