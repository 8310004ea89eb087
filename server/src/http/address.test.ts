import { expect, it } from 'vitest';
import { plainAddress, routePattern, writtenPath } from './address.ts';

it.each([
  ['/api/v1/locations?$top=1', '/v1/locations?$top=1'],
  ['/Api/V1/Locations/', '/V1/Locations'],
  ['/v1/', '/v1'],
  ['/v1?$format=json', '/v1?$format=json'],
  ['/v1/workUnits(5)', '/v1/workUnits/5'],
  ["/v1/tenants('a%2Fb')?x=(1)", "/v1/tenants/'a%2Fb'?x=(1)"],
  ['/v1/workUnits(5)/$count', '/v1/workUnits/5/$count'],
  ['/v1/locations/%24count', '/v1/locations/$count'],
  ['/v1/locations()', '/v1/locations()'],
  ['/v1/workunits/Export()', '/v1/workunits/Export'],
  ['/v1/workunits/GetX(workUnitId=5)', '/v1/workunits/GetX/workUnitId/5'],
  ['/v1/workunits/CloudFit.GetX(a=1,b=x=2)', '/v1/workunits/GetX/a/1/b/x=2'],
  ['/v1/workunits/GetX%28a%3D1%2Cb%3D2%29', '/v1/workunits/GetX/a/1/b/2'],
  ['/v1/workunits/GetX(5)', '/v1/workunits/GetX/5'],
  ['/v1/%zz', '/v1/%zz'],
  ['/work-units(5)/', '/work-units(5)/'],
  ['/v10/x(5)', '/v10/x(5)'],
])('reads %s as %s', (url, plain) => {
  expect(plainAddress(url)).toBe(plain);
});

it('makes a pattern of a declared path', () => {
  expect(routePattern('/v1/operations/GetX(tenantId={tenantId},id={id})')).toBe('/v1/operations/GetX/tenantId/:tenantId/id/:id');
  expect(routePattern('/v1/rules/{id}/explain')).toBe('/v1/rules/:id/explain');
});

it('links back to the address as it was written', () => {
  expect(writtenPath('/api/v1/workunits/GetX(a=1)?$top=1')).toBe('/v1/workunits/GetX(a=1)');
});
