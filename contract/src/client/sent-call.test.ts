import { expect, it } from 'vitest';
import { accessOfPerson, devicesInMaintenance, explainRule, exportControlSets, invitePerson, removeSecondFactor } from '../calls.ts';
import { sentBy } from './sent-call.ts';

it('encodes what belongs into the path, and leaves it out of the query', () => {
  expect(sentBy(accessOfPerson, { id: 'a/b c' })).toEqual({ method: 'GET', path: '/v1/people/a%2Fb%20c/access' });
  expect(sentBy(explainRule, { id: 'r', entityId: undefined, workUnitId: 7, at: '2026-01-02T03:04:05+02:00' })).toEqual({
    method: 'GET',
    path: '/v1/rules/r/explain?workUnitId=7&at=2026-01-02T03%3A04%3A05%2B02%3A00',
  });
});

it('writes the options of a list as the query language does', () => {
  const input = { maintenanceWindowId: 'w', query: { filter: "name eq 'a&b'", top: 5, count: true } };
  expect(sentBy(devicesInMaintenance, input).path).toBe(
    "/v1/devices/GetDevicesInMaintenance(maintenanceWindowId=w)?$filter=name%20eq%20'a%26b'&$top=5&$count=true",
  );
  expect(sentBy(exportControlSets, { startDate: '2026-11-02', tenantId: 't', query: { top: 5 } })).toEqual({
    method: 'POST',
    path: '/v1/controlsets/Export()?$top=5',
    body: { startDate: '2026-11-02', tenantId: 't' },
  });
});

it('sends the other values of a write as its body, and no body without one', () => {
  const { path, ...sent } = sentBy(invitePerson, { email: 'a@b.example', name: 'A', permissionSetId: 's', tenantId: null });
  expect(path).toBe('/v1/people/invite');
  expect(sent).toEqual({ method: 'POST', body: { email: 'a@b.example', name: 'A', permissionSetId: 's', tenantId: null } });
  expect(sentBy(removeSecondFactor, { id: 'p' })).toEqual({ method: 'PUT', path: '/v1/people/p/secondFactor/remove' });
});
