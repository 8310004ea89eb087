import { expect, it } from 'vitest';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { fieldProblem, formSections, formValues, makeResolver } from './form-model.ts';

it('[LOC-008] a location needs a name', () => {
  expect(fieldProblem(locations.fields.name, '')).toBe('Name is required.');
  expect(fieldProblem(locations.fields.city, null)).toBeUndefined();
});
it('a device needs a name, a tenant and a subscription', async () => {
  await proves('[DEV-034] a name', () => expect(fieldProblem(devices.fields.name, '')).toBe('Name is required.'));
  await proves('[DEV-035] a tenant', () => expect(fieldProblem(devices.fields.tenantId, '')).toBe('Tenant is required.'));
  await proves('[DEV-036] a subscription', () =>
    expect(fieldProblem(devices.fields.subscriptionId, null)).toBe('Subscription is required.'),
  );
});
it('[DEV-037] a description has at most 500 characters', () => {
  expect(fieldProblem(devices.fields.description, 'x'.repeat(500))).toBeUndefined();
  expect(fieldProblem(devices.fields.description, 'x'.repeat(501))).toBeDefined();
});
it('[DEV-038] a heartbeat is 0 to 999999999', () => {
  for (const good of [0, 999_999_999]) expect(fieldProblem(devices.fields.heartbeatInterval, good)).toBeUndefined();
  for (const bad of [-1, 1_000_000_000, 'soon']) expect(fieldProblem(devices.fields.heartbeatInterval, bad)).toBeDefined();
});
it('[WU-123] a work unit needs a title of three characters', async () => {
  await proves('[WU-121] a title', () => expect(fieldProblem(workUnits.fields.title, '')).toBe('Please enter the title'));
  await proves('[WU-122] of three characters', () => {
    expect(fieldProblem(workUnits.fields.title, 'ab')).toBe('Please enter the title');
    expect(fieldProblem(workUnits.fields.title, 'abc')).toBeUndefined();
  });
});
it('[WU-124][WU-125] a work unit needs a severity', () => {
  expect(fieldProblem(workUnits.fields.severityId, '')).toBe('Please choose a severity.');
});
it('[RULE-024][RULE-025] a rule needs a name', () => {
  expect(fieldProblem(rules.fields.name, '')).toBe('Please enter a rule name');
});
it('[WU-126] starts from the first values of the declaration', () => {
  expect(formValues(workUnits as never, ['severityId', 'stateId', 'effort', 'title'], undefined)).toEqual({
    severityId: 'Sev0',
    stateId: 'New',
    effort: null,
    title: '',
  });
});
it('offers what can be written and nothing else', () => {
  const [section] = formSections(locations as never, 'edit');
  expect(section?.fields).not.toContain('locationId');
  expect(section?.fields).not.toContain('created');
  expect(section?.fields).toContain('name');
});
it('neither validates nor sends a field that the other values hide', async () => {
  const layout = { hides: ({ country }: { country?: unknown }) => (country === 'FR' ? (['name'] as const) : []) };
  const resolve = (values: object) =>
    makeResolver(locations, ['name', 'country'], layout)(values, undefined, { fields: {}, shouldUseNativeValidation: false });
  expect(await resolve({ name: '', country: 'FR' })).toEqual({ values: { country: 'FR' }, errors: {} });
  expect(await resolve({ name: '', country: 'DE' })).toEqual({
    values: {},
    errors: { name: { type: 'invalid', message: 'Name is required.' } },
  });
});
