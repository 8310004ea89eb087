import { expect, it } from 'vitest';
import { withApproverFilter } from './approver-email.ts';

const readable = (url: string): string => decodeURIComponent(withApproverFilter(url));

it.each([
  ['/v1/workunits?approverEmail=ann@x.org', "/v1/workunits?$filter=(approver1 eq 'ann@x.org' or approver2 eq 'ann@x.org')"],
  ['/v1/WorkUnits/$count?approverEmail=a', "/v1/WorkUnits/$count?$filter=(approver1 eq 'a' or approver2 eq 'a')"],
  ['/v1/workUnits/Export?$top=5&approverEmail=a', "/v1/workUnits/Export?$filter=(approver1 eq 'a' or approver2 eq 'a')&$top=5"],
  ['/v1/workunits?approverEmail=a%2Bb&%24filter=x', "/v1/workunits?$filter=(x) and (approver1 eq 'a+b' or approver2 eq 'a+b')"],
  ['/v1/workunits?filter=x or y&approverEmail=a', "/v1/workunits?$filter=(x or y) and (approver1 eq 'a' or approver2 eq 'a')"],
  [
    "/v1/workunits?approverEmail=O'H",
    "/v1/workunits?$filter=(approver1 eq 'O''H' or approver2 eq 'O''H' or approver1 eq 'o''h' or approver2 eq 'o''h')",
  ],
  ['/v1/workunits?approverEmail=&$filter=x', '/v1/workunits?$filter=x'],
  ['/v1/workunits?approver%45mail=a&filter=x=y', "/v1/workunits?$filter=(x=y) and (approver1 eq 'a' or approver2 eq 'a')"],
])('[API-150] reads %s as %s', (url, filtered) => {
  expect(readable(url)).toBe(filtered);
});

it.each([
  '/v1/workunits?approverEmail=a&approverEmail=b',
  '/v1/workunits?approverEmail=a&$filter=x&filter=y',
  '/v1/workunits?approverEmail=%zz',
  '/v1/workunits?$top=5',
  '/v1/workunits/5?approverEmail=a',
  '/v1/rules?approverEmail=a',
  '/v1/workunits',
])('leaves %s unchanged', (url) => {
  expect(withApproverFilter(url)).toBe(url);
});
