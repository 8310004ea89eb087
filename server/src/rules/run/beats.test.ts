/** Outages of the installation are no silence before a packet, and nothing that a window counts as missing. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { evaluateEntity, latestAfter } from './evaluate-packets.ts';
import type { LatestPacketState } from './evaluate-entity.ts';
import { about, indexOf, packetAt, ruleOf, web } from '../testing/hits.ts';

/** The minutes at which a rule hits, of packets at these minutes, while the installation was away. */
function hitsAt(conditions: Condition[], minutes: readonly number[], gaps: readonly Gap[], ruleTypeId = 3): number[] {
  const rules = indexOf(ruleOf({ ruleTypeId, conditions, since: 0 }));
  let latest: LatestPacketState | undefined;
  return minutes.flatMap((minute) => {
    const result = evaluateEntity(rules, web, latest, [packetAt(minute * minuteMs, 95)], { gaps });
    latest = latestAfter(latest, result) ?? latest;
    return result.hits.map(({ packet }) => packet.timestamp / minuteMs);
  });
}
const away: Gap[] = [{ from: 12 * minuteMs, until: 30 * minuteMs }];

describe('a packet after an outage', () => {
  const notSeen = { OccurrencePattern: { Kind: 'NotSeenFor' as const, Seconds: 600 } };
  const forms: [string, Condition][] = [
    ['a number in a limit', about(62, 3, '90', { LeftOperandFieldName: 'Cpu', ...notSeen })],
    ['another number', about(62, 2, '7', { LeftOperandFieldName: 'Cpu', ...notSeen })],
    ['the entity', about(30, 1, 'web', notSeen)],
    ['the seconds since the last packet', about(70, 3, '600')],
  ];

  it.each(forms)('ends no silence, but a later one does: %s', (_, condition) => {
    const minutes = [1, 2, 11, 31, 32, 50];
    for (const type of [1, 3]) {
      expect(hitsAt([condition], minutes, [], type)).toEqual([31, 50]);
      expect(hitsAt([condition], minutes, away, type)).toEqual([50]);
    }
  });

  it('is not one of too few, as long as the outage is in the window', () => {
    const few: Condition = { ...about(71, 4, '4'), WindowSeconds: 1_200 };
    const minutes = [0, 5, 10, 15, 20, 25, 30, 45, 46, 47, 60, 75];
    const gap = [{ from: 31 * minuteMs, until: 44 * minuteMs }];
    expect(hitsAt([few], minutes, [])).toEqual([45, 46, 75]);
    expect(hitsAt([few], minutes, gap)).toEqual([75]);
  });
});
