import { decimalText } from '../theme/times.ts';

/** The number up to which the rows of a list are counted exactly; nobody reads more rows. */
export const exactCount = 10_000;

/** `9,876`, or `10,000+` for a list that has more rows. */
export function listCountText(count: number): string {
  return count > exactCount ? `${countText(exactCount)}+` : countText(count);
}

/** A number with separators: `1,002,000`. */
export const countText = (count: number): string => decimalText(count, 0);
