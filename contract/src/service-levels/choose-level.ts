/** Which service level holds for a unit. */
import type { Row } from '../resource.ts';
import type { serviceLevels } from '../resources/service-levels.ts';

type LevelKeys = Pick<Row<typeof serviceLevels>, 'tenantId' | 'workUnitCategoryId' | 'severityId' | 'workUnitTypeId'>;

/** What a level may name, the most specific first: one that names it comes before all that do not. */
export const levelOrder = [
  'tenantId',
  'workUnitCategoryId',
  'severityId',
  'workUnitTypeId',
] as const satisfies readonly (keyof LevelKeys)[];

/** Returns the most specific of the levels that fit the unit; two levels that name the same do not exist. */
export function levelFor<L extends LevelKeys>(levels: readonly L[], unit: LevelKeys): L | undefined {
  const rank = (level: L): number =>
    levelOrder.reduce((sum, name, at) => sum + (level[name] === null ? 0 : 2 ** (levelOrder.length - at)), 0);
  return levels
    .filter((level) => levelOrder.every((name) => level[name] === null || level[name] === unit[name]))
    .reduce<L | undefined>((best, level) => (best && rank(best) > rank(level) ? best : level), undefined);
}
