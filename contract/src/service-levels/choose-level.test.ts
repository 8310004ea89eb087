import { expect, it } from 'vitest';
import { levelFor } from './choose-level.ts';

const none = { tenantId: null, workUnitCategoryId: null, severityId: null, workUnitTypeId: null };
const unit = { tenantId: 't', workUnitCategoryId: 'c', severityId: 'Sev0', workUnitTypeId: 1 } as const;

it('takes the level that names the tenant, then the category, the severity, and the type', () => {
  // Each comes before all that follow it, even together.
  const ordered = [
    { name: 'tenant', ...none, tenantId: 't' },
    { name: 'category', ...none, workUnitCategoryId: 'c' },
    { name: 'severity and type', ...none, severityId: 'Sev0' as const, workUnitTypeId: 1 },
    { name: 'severity', ...none, severityId: 'Sev0' as const },
    { name: 'type', ...none, workUnitTypeId: 1 },
    { name: 'all', ...none },
  ];
  for (let first = 0; first < ordered.length; first += 1) {
    const rest = ordered.slice(first);
    expect(levelFor(rest, unit)?.name).toBe(ordered[first]?.name);
    expect(levelFor(rest.toReversed(), unit)?.name).toBe(ordered[first]?.name);
  }
});

it('leaves out levels for other units', () => {
  const others = [
    { ...none, tenantId: 'u' },
    { ...none, severityId: 'Sev1' as const },
    { ...none, workUnitTypeId: 2 },
    { ...none, workUnitCategoryId: 'd' },
  ];
  expect(levelFor(others, unit)).toBeUndefined();
  expect(levelFor([{ ...none, workUnitCategoryId: 'c' }], { ...unit, workUnitCategoryId: null })).toBeUndefined();
});
