/** How an unsaved rule would have evaluated a recorded packet. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allPermissions, permission } from '@cloudfit/contract/permissions.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { ago, cpu, cpuOver90, createFlow, createUnit, send, until, type Flow } from '../testing/flow.ts';
import { explainDraftAction } from './explain.action.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const holding = (permissions: readonly string[], tenantId = flow.tenantId): Ctx => ({
  ...flow.ctx,
  tenants: [tenantId],
  actor: { kind: 'person', id: randomUUID(), name: 'P', userName: 'p@example.com' },
  permissions: new Map([[tenantId, new Set<string>(permissions)]]),
});

interface Draft {
  conditions?: Condition[];
  ruleTypeId?: number;
  tenantId?: string;
}

const ask = (entityId: string, at: string, draft: Draft = {}, ctx = holding(allPermissions)) =>
  explainDraftAction.bind(({ input }) =>
    input.parse({ rule: { ruleTypeId: 1, tenantId: flow.tenantId, conditions: [cpuOver90], ...draft }, entityId, at }),
  )(ctx);

const timesInRow = (Times: number): Condition[] => [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times } }];

it('answers for each change of the draft, with the packets before the moment', async () => {
  const device = await flow.device({ name: 'db-1' });
  await send(ingest, flow.ctx, cpu(device, 64, ago(60)), cpu(device, 91, ago(40)), cpu(device, 93, ago(20)));
  const at = ago(10);
  expect(await ask(device, at, { conditions: timesInRow(3) })).toMatchObject({
    outcome: 'miss',
    entityName: 'db-1',
    packet: { message: { Metrics: { Cpu: 93 } } },
    conditions: [{ value: 93, held: true, satisfied: false, progress: '2 of 3 in a row' }],
  });
  expect(await ask(device, at, { conditions: timesInRow(2) })).toMatchObject({ outcome: 'hit', match: null, reasons: [], actions: [] });
  expect(await ask(device, ago(30), { conditions: timesInRow(2) })).toMatchObject({ outcome: 'miss', conditions: [{ value: 91 }] });
  expect(await ask(device, ago(3_600))).toMatchObject({ outcome: 'noPacket' });
  expect(await flow.rows('select 1 from rule_match where subject_id = $1', device)).toEqual([]);
});

it('says nothing of the saved rule: its matches are not those of the draft', async () => {
  const device = await flow.device();
  const rule = await flow.rule({
    conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, cpuOver90],
    matchActions: [createUnit],
  });
  await until(() => ingest.rules.ingestion().get(rule));
  await send(ingest, flow.ctx, cpu(device, 95, ago(20)));
  expect(await flow.rows('select 1 from rule_match where subject_id = $1', device)).toHaveLength(1);
  expect(await ask(device, ago(10))).toMatchObject({ outcome: 'hit', match: null, actions: [] });
});

it('refuses other tenants, types without packets, and drafts that are not complete', async () => {
  const device = await flow.device();
  await send(ingest, flow.ctx, cpu(device, 95, ago(20)));
  const outsider = holding(allPermissions, randomUUID());
  await expect(ask(device, ago(10), {}, outsider)).rejects.toMatchObject({ status: 404 });
  const withoutRules = holding(allPermissions.filter((item) => item !== permission('Rules', 'view')));
  await expect(ask(device, ago(10), {}, withoutRules)).rejects.toMatchObject({ status: 404 });
  await expect(ask(randomUUID(), ago(10))).rejects.toMatchObject({ status: 404 });
  await expect(ask(device, ago(10), { ruleTypeId: 4 })).rejects.toMatchObject({ status: 400 });
  await expect(
    ask(device, ago(10), { conditions: [{ Type: 'And', LeftOperand: 62, Operator: 3, RightOperand: '90' }] }),
  ).rejects.toMatchObject({
    status: 400,
  });
});
