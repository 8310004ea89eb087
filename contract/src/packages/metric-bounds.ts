/** Between which numbers metrics of built-in packages are, so that a threshold that nothing reaches is refused when it is chosen. */
import type { CheckedWhen } from '../rules/checked-when.ts';
import { operatorId } from '../rules/operators.ts';

/** Percentages of the package System metrics. */
const percentages = /^(?:Cpu|Memory|Swap|(?:Cpu|Disk|DiskInodes|DiskUtilization) .+)$/;

function boundsOf(packageName: string, metric: string): readonly [from: number, to: number] | undefined {
  if (metric === 'Up') return [0, 1];
  return packageName === 'System metrics' && percentages.test(metric) ? [0, 100] : undefined;
}

function isReached(operator: number, value: number, [from, to]: readonly [number, number]): boolean {
  switch (operator) {
    case operatorId.greaterThan:
      return value < to;
    case operatorId.greaterThanOrEqual:
      return value <= to;
    case operatorId.lessThan:
      return value > from;
    case operatorId.lessThanOrEqual:
      return value >= from;
    case operatorId.equals:
      return value >= from && value <= to;
    default:
      return true;
  }
}

/** Why a reading of an operation of the built-in package never is as said; undefined if it may be. */
export function neverReached(packageName: string, { reading, name = '', operator = 0, value = '' }: CheckedWhen): string | undefined {
  const bounds = reading === 'Metric' ? boundsOf(packageName, name.trim()) : undefined;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!bounds || Number.isNaN(number) || isReached(operator, number, bounds)) return undefined;
  return `${name.trim()} is between ${bounds[0]} and ${bounds[1]}, so this would never open a unit. Choose another value.`;
}
