import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRules } from '@cloudfit/contract/rules/starter.ts';
import { ruleProblems } from '@cloudfit/contract/rules/problems.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { createFlow, send, silent, until, type Flow } from '../../rules/testing/flow.ts';
import { ensureStarterRules } from './starter.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const [downRule, unknownRule] = checkRules.map(({ name }) => name);
const packets = {
  up: { Metrics: { Up: 1 }, States: { Reachable: 'Up', RunStatus: 'Success' } },
  down: { Metrics: { Up: 0 }, States: { Reachable: 'Down', RunStatus: 'Success' } },
  unknown: { Metrics: {}, States: { Reachable: 'Unknown', RunStatus: 'Unknown' } },
  refused: { States: { RunStatus: 'Refused' } },
};

async function matchesAfter(device: string, ...order: (keyof typeof packets)[]): Promise<string[]> {
  for (const [n, name] of order.entries())
    await send(ingest, flow.ctx, {
      entityId: device,
      message: packets[name],
      timestamp: new Date(Date.now() - (60 - n) * 1_000).toISOString(),
    });
  const rows = await flow.rows<{ match: string }>(
    `select r.name || case when coalesce(m.closed, m.recovered) is null then '' else ' over' end as match from rule_match m join rule r using (rule_id)
      where m.subject_id = $1 order by m.first_match`,
    device,
  );
  return rows.map((row) => row.match);
}

describe('the rules about checks', () => {
  beforeAll(async () => {
    for (const { name, matchLifetime, conditions, recoveryConditions, matchActions } of checkRules) {
      const lifetimeSeconds = Number(matchLifetime.slice(0, 2)) * 3_600;
      const rule = await flow.rule({ name, lifetimeSeconds, sliding: true, conditions, recoveryConditions, matchActions });
      await until(() => ingest.rules.ingestion().get(rule));
    }
  });

  it.each([
    [['unknown', 'up', 'unknown', 'unknown'], []],
    [['down'], [downRule]],
    [['down', 'unknown', 'unknown'], [downRule]],
    [['down', 'unknown', 'up'], [`${downRule} over`]],
    [['unknown', 'unknown', 'refused'], [unknownRule]],
    [['unknown', 'refused', 'unknown', 'up'], [`${unknownRule} over`]],
  ] as const)('of %j match %j', async (order, expected) => {
    const device = await flow.device({ name: order.join('-') });
    expect(await matchesAfter(device, ...order)).toEqual(expected);
  });

  it('are valid, and come once: enabled to a new installation, disabled to an older one', async () => {
    for (const rule of checkRules) expect(ruleProblems({ ...rule, tenantId: flow.tenantId } as never, () => undefined)).toEqual([]);
    const [home] = await flow.rows<{ tenantId: string; subscriptionId: string }>(
      'select tenant_id as "tenantId", subscription_id as "subscriptionId" from subscription where tenant_id = $1',
      flow.otherTenantId,
    );
    if (!home) throw new Error('There is no subscription.');
    const stored = () =>
      flow.rows<{ name: string; enabled: boolean }>('select name, enabled from rule where tenant_id = $1 order by rule_id', home.tenantId);
    const system = systemCtx({ database: flow.database, log: silent, name: 'CloudFit' });
    await flow.rows("delete from setting where name in ('starterRule', 'checkRules')");
    for (let start = 0; start < 2; start++) await ensureStarterRules(system, home);
    expect((await stored()).map(({ enabled }) => enabled)).toEqual([true, true, true]);
    await flow.rows("delete from setting where name = 'checkRules'");
    await flow.rows('delete from rule where tenant_id = $1', home.tenantId);
    await ensureStarterRules(system, home);
    expect(await stored()).toEqual(checkRules.map(({ name }) => ({ name, enabled: false })));
  });
});
