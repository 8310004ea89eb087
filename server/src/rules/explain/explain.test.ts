/** Explanations agree with what happened, on random histories that went through ingest. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { servedRuleExceptions } from '../../features/rules/rule-exceptions.served.ts';
import { create } from '../../resources/create.ts';
import { remove } from '../../resources/remove.ts';
import { inForce } from '../run/rollout.ts';
import { cpuOver90, createFlow, createUnit, send, silent, until, type Flow } from '../testing/flow.ts';
import { explainActions } from './explain.action.ts';

let flow: Flow;
let ingest: Ingest;
let ctx: Ctx;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
  ctx = {
    ...flow.ctx,
    actor: { kind: 'person', id: randomUUID(), name: 'P', userName: 'p@example.com' },
    permissions: new Map([[flow.tenantId, new Set<string>(allPermissions)]]),
  };
});
afterAll(() => flow.close());

const system = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
const run = (name: string, input: unknown) =>
  explainActions.find((explainAction) => explainAction.action.name === name)?.bind(({ input: schema }) => schema.parse(input))(
    ctx,
  ) as Promise<Explanation>;
const explainRule = (id: string, entityId: string, at: string) => run('explainRule', { id, entityId, at });

const pattern: fc.Arbitrary<OccurrencePattern | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ Kind: fc.constant('TimesInRow' as const), Times: fc.integer({ min: 2, max: 3 }) }),
  fc.record({ Kind: fc.constant('TimesWithin' as const), Times: fc.constant(2), Seconds: fc.integer({ min: 5, max: 40 }) }),
  fc.record({ Kind: fc.constant('EveryTimeDuring' as const), Seconds: fc.integer({ min: 5, max: 30 }) }),
  fc.constant({ Kind: 'Changed' as const }),
  fc.record({ Kind: fc.constant('NotSeenFor' as const), Seconds: fc.integer({ min: 10, max: 30 }) }),
);
/**
 * A packet: seconds since the previous packet, value, delay in packets, and whether it shares the batch of the previous packet.
 */
const step = fc.record({
  gap: fc.integer({ min: 1, max: 30 }),
  value: fc.constantFrom(10, 50, 91, 95),
  delay: fc.constantFrom(0, 0, 0, 0, 2),
  sameBatch: fc.boolean(),
});
const history = fc.record({
  patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
  /** An own value of the first rule for the device or its tag, from before one batch until before another. */
  exceptional: fc.option(
    fc.record({
      place: fc.constantFrom('Device', 'Tag'),
      value: fc.constantFrom('40', '93', null),
      from: fc.nat({ max: 5 }),
      batches: fc.nat({ max: 5 }),
    }),
  ),
});

interface Match {
  rule_match_id: string;
  rule_id: string;
  first_match: string;
  last_match: string;
  match_count: number;
}

describe('explanations', () => {
  it('agree with every match, and with every packet that made none, of random histories', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ patterns, steps, exceptional }) => {
        const device = await flow.device();
        if (exceptional?.place === 'Tag') await flow.rows(`update device set tags = 'slow, prod' where device_id = $1`, device);
        const conditions = (item: OccurrencePattern | undefined): Condition[] => [
          { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device },
          { ...cpuOver90, OccurrencePattern: item },
        ];
        const rules = await Promise.all(
          patterns.map((pattern) => flow.rule({ conditions: conditions(pattern), matchActions: [createUnit], lateGraceSeconds: 0 })),
        );
        for (const rule of rules) await until(() => ingest.rules.ingestion().get(rule));
        let at = Date.now() - 200_000;
        const packets = steps.map(({ gap, value, delay, sameBatch }, i) => {
          at += gap * 1_000 > 14_000 ? 14_000 : gap * 1_000;
          return {
            entityId: device,
            timestamp: new Date(at).toISOString(),
            message: { Metrics: { Cpu: value } },
            order: i + delay + 0.1 * delay,
            sameBatch,
          };
        });
        const batches: (typeof packets)[] = [];
        for (const packet of packets.toSorted((a, b) => a.order - b.order)) {
          const last = batches.at(-1);
          if (packet.sameBatch && last) last.push(packet);
          else batches.push([packet]);
        }
        let exception: string | undefined;
        const [first = ''] = rules;
        /** Waits until the first rule is as it is with the exception, or without. */
        const isNow = (constant: string | null | undefined) =>
          until(async () => {
            const entry = ingest.rules.ingestion().get(first);
            const entity = (await ingest.entities.find([device])).get(device);
            return entry && entity && (inForce(entry, entity)?.rule.conditions[1]?.RightOperand ?? null) === constant;
          });
        for (const [number, batch] of batches.entries()) {
          if (exceptional && number === exceptional.from) {
            const place = exceptional.place === 'Tag' ? { tag: 'SLOW' } : { deviceId: device };
            const values = exceptional.value === null ? { isOff: true } : { ownValues: { '62 Cpu 3': exceptional.value } };
            const row = { ruleId: first, tenantId: flow.tenantId, appliesTo: exceptional.place, reason: 'Random', ...place, ...values };
            exception = (await create(system(), servedRuleExceptions, row)).ruleExceptionId;
            await isNow(exceptional.value);
          }
          if (exceptional && exception && number === exceptional.from + exceptional.batches) {
            await remove(system(), servedRuleExceptions, exception);
            await isNow('90');
            exception = undefined;
          }
          await send(ingest, flow.ctx, ...batch);
          await new Promise((resolve) => setTimeout(resolve, 3));
        }

        const matches = await flow.rows<Match>(
          'select rule_match_id, rule_id, first_match, last_match, match_count from rule_match where subject_id = $1',
          device,
        );
        const counted = new Map<string, number>();
        for (const packet of packets)
          for (const rule of rules) {
            const explanation = await explainRule(rule, device, packet.timestamp);
            if (!['hit', 'repeated', 'late', 'suppressed'].includes(explanation.outcome)) {
              expect(exceptional && rule === first ? ['miss', 'stale', 'disabled'] : ['miss', 'stale']).toContain(explanation.outcome);
              expect(explanation.match).toBeNull();
              expect(matches.some((m) => m.rule_id === rule && m.first_match === packet.timestamp)).toBe(false);
              continue;
            }
            expect(explanation.match).not.toBeNull();
            const id = explanation.match?.ruleMatchId ?? '';
            counted.set(id, (counted.get(id) ?? 0) + 1);
            expect(explanation.conditions.every((condition) => condition.satisfied)).toBe(true);
            expect(explanation.packet?.message).toEqual(packet.message);
          }
        for (const match of matches) {
          expect(counted.get(match.rule_match_id)).toBe(match.match_count);
          const explanation = await run('explainRuleMatch', { id: match.rule_match_id });
          expect(explanation).toMatchObject({ outcome: 'hit', basis: 'recorded', match: { ruleMatchId: match.rule_match_id } });
          expect(explanation.actions).toMatchObject([{ phase: 'match', result: 'EnqueueSuccess', name: 'Create Work Unit' }]);
          expect(explanation.conditions.every((condition) => condition.satisfied)).toBe(true);
        }
        expect([...counted.keys()].every((id) => matches.some((m) => m.rule_match_id === id))).toBe(true);
      }),
      { numRuns: runs(10, 25) },
    );
  }, 120_000);
});
