/**
 * A disabled tenant is closed on all servers for its people, tokens and agents. Its automation waits until somebody enables the
 * tenant again.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { isStillPermitted } from '../../auth/current-permissions.ts';
import { runTimers } from '../../automation/work-unit-timers.ts';
import { type Ingest } from '../../ingest/accept.ts';
import { leaseCalls, leaseJobs } from '../../jobs/lease.ts';
import { enqueue } from '../../jobs/queue.ts';
import { keepUp } from '../../rules/testing/pulse.ts';
import { evaluateSilenceOfAll } from '../../rules/run/silence/sweep.ts';
import { cpu, createFlow, send, until, type Flow } from '../../rules/testing/flow.ts';
import { startAutomation } from '../../testing/automation.ts';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { createWorld, holder } from '../../testing/world.ts';

describe('its people and tokens', () => {
  let installation: Installation;
  let root: string;
  beforeAll(async () => {
    installation = await startInstallation(2);
    await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
    root = (await new Browser(installation.publicUrl).signIn('root@example.org', password)).access_token;
  });
  afterAll(() => installation.close());

  const toggle = (tenantId: string) => installation.call(root, 'POST', `/v1/tenants/toggledisabled/${tenantId}`);

  it('are refused with the reason on every server, and come back when it is enabled', async () => {
    const [tenantId, otherId] = [await installation.tenant('Closed GmbH'), await installation.tenant('Open GmbH')];
    const personId = await installation.person('ada@example.org', { set: shippedSets.administrator.id, tenantId });
    const ada = (await new Browser(installation.publicUrl).signIn('ada@example.org', password)).access_token;
    await installation.person('both@example.org', { set: shippedSets.administrator.id, tenantId });
    await installation.person('both2@example.org', { set: shippedSets.administrator.id, tenantId: otherId });
    const created = await installation.call(ada, 'PUT', '/v1/tokens', {
      name: 'Agent',
      lifetimeYears: 1,
      tenantId,
      scopes: ['agent', 'ingest'],
      permissionSetId: shippedSets.reader.id,
    });
    const token = String(created.body['generatedToken']);
    const location = await installation.call(ada, 'PUT', '/v1/locations', { name: 'Hall', tenantId });
    const servers = [0, 1];
    const register = (server: number) =>
      installation.call(
        token,
        'POST',
        '/v1/agent/register',
        { machineKey: randomUUID(), machineName: 'web-01', operatingSystem: 'linux', architecture: 'x64', agentVersion: '1.0.0' },
        server,
      );
    for (const server of servers) {
      expect((await installation.call(ada, 'GET', '/v1/workunits', undefined, server)).status).toBe(200);
      expect((await register(server)).status).toBe(200);
    }
    expect((await toggle(tenantId)).body).toMatchObject({ enabled: false });
    const closed = { status: 403, body: { error: { message: expect.stringContaining('The tenant Closed GmbH is disabled.') } } };
    const refused = { status: 401, body: { error: { message: 'The tenant of this token is disabled.' } } };
    for (const server of servers) {
      const answers = await until(async () => {
        const both = await Promise.all([
          installation.call(ada, 'GET', '/v1/workunits', undefined, server),
          installation.call(token, 'GET', '/v1/devices', undefined, server),
        ]);
        return both.every(({ status }) => status !== 200) && both;
      });
      expect(answers).toMatchObject([closed, refused]);
      expect(
        await installation.call(ada, 'PUT', '/v1/workunits', { title: 'Not here', workUnitTypeId: 1, tenantId }, server),
      ).toMatchObject(closed);
      expect(await installation.call(ada, 'GET', '/v1/permissions', undefined, server)).toMatchObject(closed);
      expect(await register(server)).toMatchObject(refused);
      // Callers with a grant for all tenants still read the rows of the disabled tenant.
      const path = `/v1/locations(${String(location.body['locationId'])})`;
      expect((await installation.call(root, 'GET', path, undefined, server)).body).toMatchObject({ name: 'Hall' });
    }
    const { db } = installation.system;
    expect(await isStillPermitted(db, { kind: 'person', id: personId }, 'CloudFit.CFS.Devices:view', tenantId)).toBe(false);
    await toggle(tenantId);
    for (const server of servers) {
      await until(async () => (await installation.call(ada, 'GET', '/v1/workunits', undefined, server)).status === 200);
      await until(async () => (await installation.call(token, 'GET', '/v1/devices', undefined, server)).status === 200);
    }
    expect(await isStillPermitted(db, { kind: 'person', id: personId }, 'CloudFit.CFS.Devices:view', tenantId)).toBe(true);
  });
});

describe('its automation', () => {
  let flow: Flow;
  let ingest: Ingest;
  beforeAll(async () => {
    flow = await createFlow();
    ingest = await flow.openIngest();
    await keepUp(flow.db);
  });
  afterAll(() => flow.close());

  const setEnabled = async (enabled: boolean): Promise<void> => {
    await flow.rows('update tenant set enabled = $2 where tenant_id = $1', flow.tenantId, enabled);
    await flow.rows("select pg_notify('devices', '')");
  };

  it('takes no packet, looks at no silence and moves no timer, and goes on afterwards', async () => {
    const [device, other] = [await flow.device(), await flow.device()];
    const rule = await flow.rule({
      ruleTypeId: 3,
      conditions: [{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '60' }],
      matchActions: [{ ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } }],
    });
    await until(() => ingest.rules.silence().get(rule));
    await send(ingest, flow.ctx, cpu(device, 1, new Date(Date.now() - 120_000).toISOString()));
    // Ingest caches this device before the tenant is disabled, so a refused packet shows that ingest has read the device again.
    await send(ingest, flow.ctx, cpu(other, 1));
    const [unit] = await flow.rows<{ work_unit_id: number }>(
      `with p as (insert into protocol (tenant_id, name, modified_by) values ($1, 'Outage', 'x') returning protocol_id)
       insert into work_unit (tenant_id, title, work_unit_type_id, protocol_id, created_by, modified_by) select $1, 'Pump', 1, protocol_id, 'x', 'x' from p returning work_unit_id`,
      flow.tenantId,
    );
    await flow.rows(
      "insert into work_unit_timer (work_unit_id, tenant_id, due) values ($1, $2, now() - interval '1 second')",
      unit?.work_unit_id,
      flow.tenantId,
    );
    await setEnabled(false);
    const answer = await until(async () => {
      const [one] = await send(ingest, flow.ctx, cpu(other, 99));
      return one?.status === 'refused' && one;
    });
    expect(answer.message).toBe('The tenant is disabled.');
    const matches = () => flow.rows('select 1 from rule_match where rule_id = $1', rule);
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await matches()).toEqual([]);
    expect(await runTimers(flow.db)).toBe(0);
    await setEnabled(true);
    await until(async () => {
      await evaluateSilenceOfAll(flow.db, ingest);
      return (await matches()).length === 1;
    });
    expect(await runTimers(flow.db)).toBe(1);
  });

  it('leaves its jobs and calls where they are, without a lost try', async () => {
    await flow.rows('delete from job');
    const id = crypto.randomUUID();
    for (const tenantId of [flow.tenantId, flow.otherTenantId])
      await enqueue(flow.db, { name: 'probe', payload: {}, tenantId, correlationId: id });
    const lease = async () => {
      const inside = await leaseJobs(flow.db, { worker: 'w', atMost: 10, perTenant: 5, busyTenants: [] });
      const calls = await leaseCalls(flow.db, { worker: 'w', atMost: 10, perTenant: 5, perDestination: 5, running: [] });
      return [...inside, ...calls].map((job) => [job.tenant_id, job.attempts]);
    };
    await setEnabled(false);
    expect(await lease()).toEqual([[flow.otherTenantId, 1]]);
    await flow.rows("update job set destination = 'https://desk.example.com' where tenant_id = $1", flow.tenantId);
    expect(await lease()).toEqual([]);
    await setEnabled(true);
    expect(await lease()).toEqual([[flow.tenantId, 1]]);
  });
});

it('runs what waited when it is enabled', async () => {
  const world = await createWorld();
  const { tenantId } = await world.tenant();
  const automation = await startAutomation(world);
  const all = holder('all');
  try {
    const toggle = () => world.call(all, 'POST', `/v1/tenants/toggledisabled/${tenantId}`);
    await toggle();
    const path = `/v1/actionDefinitions/${builtInAction.createWorkUnit}/test?tenantId=${tenantId}`;
    const { body } = await world.call(all, 'POST', path, { SeverityId: 'Sev3' });
    // When the work of another tenant, queued later, has run, the work of the disabled tenant still waits.
    const { tenantId: other } = await world.tenant();
    const later = await world.call(all, 'POST', `/v1/actionDefinitions/${builtInAction.createWorkUnit}/test?tenantId=${other}`, {
      SeverityId: 'Sev3',
    });
    await automation.outcome(later.body['id']);
    const waiting = await world.system.db.query({
      text: `select 1 from action_history where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess}`,
      values: [body['id']],
    });
    expect(waiting).toHaveLength(1);
    await toggle();
    expect((await automation.outcome(body['id'])).result_status_id).toBe(resultStatus.success);
  } finally {
    await automation.stop();
    await world.close();
  }
});
