import { beforeEach, expect, it } from 'vitest';
import { rememberFilters, workUnitsAddress } from './list-address.ts';

const read = (query: string) => workUnitsAddress.read(new URLSearchParams(query));

beforeEach(() => localStorage.clear());

it('[WU-046] starts from state New, later from the filters of the last visit', () => {
  expect(read('')).toMatchObject({ filters: { stateId: ['New'] }, quick: [] });
  rememberFilters({ filters: { severityId: ['Sev1'] }, quick: ['mine'] });
  expect(read('')).toMatchObject({ filters: { severityId: ['Sev1'] }, quick: ['mine'] });
});

it('takes the filters of an address that names some, or says that there are none', () => {
  expect(read('f.stateId=OnHold').filters).toEqual({ stateId: ['OnHold'] });
  expect(read('f=').filters).toEqual({});
  expect(workUnitsAddress.write(new URLSearchParams(), read('f=')).has('f')).toBe(true);
});
