import type { Row } from '@cloudfit/contract/resource.ts';
import type { sources } from '@cloudfit/contract/resources/sources.ts';

export type SourceEntity = Row<typeof sources>;
export type NewSource = SourceEntity & { generatedToken: string };

const meanMs = 300_000;

/** The packets a minute by now: the mean that was stored with the last data, which counts less the longer that is ago. */
export function rateNow({ perHour, lastData }: Pick<SourceEntity, 'perHour' | 'lastData'>, now: number): number {
  if (lastData === null) return 0;
  return (perHour / 60) * Math.exp(-Math.max(0, now - Date.parse(lastData)) / meanMs);
}

/** Whether so many names are new that the person should know before further ones are refused. */
export const isNearCap = ({ entitiesMade, entityCap, unknownEntities }: SourceEntity): boolean =>
  unknownEntities !== 'Refuse' && entitiesMade >= entityCap * 0.8;
