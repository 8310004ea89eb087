import { expect, it } from 'vitest';
import { conditionText } from './filter-words.ts';

it('says simple conditions in words, and leaves the others to the filter', () => {
  expect(conditionText("contains(tags,'web')")).toBe('Tags contains web');
  expect(conditionText("contains(folded(name),'o''brien')")).toBe("Name contains o'brien");
  expect(conditionText('enabled eq true')).toBe('Enabled is Yes');
  expect(conditionText('operatingSystemId eq 4')).toBe('Operating system is LinuxX64');
  for (const filter of [
    "location/name eq 'x'",
    'locationId eq 01a22706-8554-7267-9c40-087910efe930',
    'nothing eq 1',
    'not (enabled eq true)',
  ])
    expect(conditionText(filter), filter).toBeUndefined();
});
