/** Why entities fell silent. */
import type { Db } from '../../db/connection.ts';
import { placeOf, type GroupPlace, type WaitingMatch } from './group-place.ts';

export function silenceCauses(
  _db: Db,
  _tenantId: string,
  _matches: readonly WaitingMatch[],
): Promise<(match: WaitingMatch) => GroupPlace | 'wait'> {
  return Promise.resolve(placeOf);
}
