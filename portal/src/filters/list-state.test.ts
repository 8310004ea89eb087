import { describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { workUnitsView } from '../features/work-units/work-units.view.tsx';
import { listQuery, sortKeys } from './list-query.ts';
import { listAddress } from './list-state.ts';
import type { ChosenScope } from '../rows/use-scope.ts';

const address = listAddress(workUnitsView);
const me = { personId: 'p', name: 'Mara Okafor', userName: 'mara@northwind.example', tenantId: null, subscriptionId: null };
const scope: ChosenScope = { tenantId: null, subscriptionId: null, user: me, isKnown: true };
const read = (query: string) => address.read(new URLSearchParams(query));
const ask = (query: string) => listQuery(workUnitsView, read(query), scope);

describe('the address of a grid', () => {
  it('[WU-012] keeps the search in the parameter search', () => {
    const state = { ...read(''), search: 'gateway' };
    expect(address.write(new URLSearchParams(), state).get('search')).toBe('gateway');
    expect(read('search=gateway').search).toBe('gateway');
  });
  it('is read back as it was written, and leaves the open panel alone', () => {
    const state = {
      search: 'a b',
      exact: true,
      page: 2,
      rows: 50,
      quick: ['mine'],
      sort: [
        { id: 'title', desc: true },
        { id: 'created', desc: false },
      ],
      filters: { stateId: ['New', 'OnHold'], assignedTo: ['x, y'], created: ['2026-11-01..'] },
    };
    const params = address.write(new URLSearchParams('workUnitId=7'), state);
    expect(address.read(new URLSearchParams(params.toString()))).toEqual(state);
    expect(params.get('workUnitId')).toBe('7');
  });
  it('has ten rows unless one of the four sizes is named', async () => {
    await proves('[LIM-002][WU-010] ten at first', () => expect(read('').rows).toBe(10));
    await proves('[LIM-003][WU-009] one of four sizes', () => {
      expect([10, 25, 50, 100].map((rows) => read(`rows=${rows}`).rows)).toEqual([10, 25, 50, 100]);
      expect(read('rows=7').rows).toBe(10);
    });
  });
});

describe('what a grid asks', () => {
  it('[WU-008][WU-011] sorts by severity, then newest, one page at a time, with the count', () => {
    expect(ask('page=3')).toMatchObject({ orderBy: ['severityId asc', 'created desc'], top: 10, skip: 20, count: true });
  });
  it('sorts references by the names that the list shows, tenants and types by their keys', () => {
    expect(ask('sort=tenantId,-workUnitTypeId')).toMatchObject({ orderBy: ['tenantId asc', 'workUnitTypeId desc'] });
    const sorted = sortKeys(devices, [{ id: 'locationId', desc: true }], ['location']);
    expect([sorted, sortKeys(devices, [{ id: 'locationId', desc: true }])]).toEqual([['location/name desc'], ['locationId desc']]);
  });
  it('asks the search of work units, the best first until a person sorts', () => {
    expect(ask('search=Lund')).toMatchObject({
      filter: "found('Lund')",
      orderBy: ["relevance('Lund') desc", 'severityId asc', 'created desc'],
    });
    expect(ask('search=Lund&sort=title').orderBy).toEqual(['title asc']);
    expect(ask('search=Lund&exact=1').orderBy).toEqual(['severityId asc', 'created desc']);
  });
  it('[WU-017] compares whole values with Exact Match', () => {
    expect(ask('search=Lund&exact=1').filter).toContain("folded(title) eq 'lund'");
  });
  it('[WU-044] asks for approvals of the person who looks', () => {
    expect(ask('q=approval').filter).toBe(
      [1, 2].map((n) => `(approver${n} eq 'mara@northwind.example' and approved${n}By eq null and declined${n}By eq null)`).join(' or '),
    );
  });
  it('joins several filters', () => {
    expect(ask('f.stateId=New,OnHold&f.severityId=Sev0').filter).toBe("stateId in ('New','OnHold') and severityId eq 'Sev0'");
  });
});
