/** A real agent runs what a policy gives its machine, from its enrolment on, also when the server is killed meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentSite, type AgentSite } from '../../testing/agent-site.ts';

let site: AgentSite;
let operationId: string;

beforeAll(async () => {
  site = await startAgentSite();
  const manifest = {
    name: 'Checks of policies',
    version: '1.0.0',
    type: 'Watcher',
    executable: 'run.sh',
    executableType: 'Script',
    operations: [{ name: 'answer', frequencies: ['Recurring'], arguments: ['answer'], output: 'json' }],
  };
  operationId = (await site.install(manifest, { 'run.sh': 'echo \'{"value": 42}\'' }))['answer'] ?? '';
}, 120_000);
afterAll(() => site.close());

const reported = `select o.device_operation_id as id, k.message ->> 'Value' as value from device_operation o join latest_packet k on k.entity_id = o.device_operation_id
where o.device_id = $1 and o.label = 'Answer' and not o.is_deleted`;
const once = `select count(*)::int as operations, count(*) filter (where d.tags = 'by policy')::int as tagged from device_operation o join device d on d.device_id = o.device_id
where o.device_id = $1 and o.label = 'Answer' and not o.is_deleted`;

it('gets the operation at its enrolment, runs it, and has it once after a kill of the server', async () => {
  const { deviceSelectionId } = await site.call('PUT', '/v1/deviceSelections', {
    name: 'All machines',
    tenantId: site.tenantId,
    filter: 'enabled eq true',
  });
  await site.call('PUT', '/v1/policies', {
    name: 'Answer',
    tenantId: site.tenantId,
    deviceSelectionId,
    tags: 'by policy',
    operations: [{ operationId, label: 'Answer', frequencyTypeId: 2, interval: '00:00:30', parameters: [] }],
  });
  site.startAgent();
  const deviceId = await site.promote();
  await site.server.kill();
  await site.server.start();
  const { value } = await site.until<{ value: string }>('a result of the operation of the policy', reported, [deviceId], 120_000);
  expect(value).toBe('42');
  const { rows } = await site.client.query<object>(once, [deviceId]);
  expect(rows).toEqual([{ operations: 1, tagged: 1 }]);
}, 200_000);
