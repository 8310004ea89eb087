/** Seeds a selection and two policies, of which one yields to the other. */
import type { Api } from './panel-world.ts';

export async function seedPolicies(call: Api, tenantId: string, operationId: string): Promise<Record<'selection' | 'policy', string>> {
  const { deviceSelectionId } = await call('PUT', '/v1/deviceSelections', {
    name: 'All hosts',
    description: 'Everything with an agent.',
    filter: 'enabled eq true',
    tenantId,
  });
  const { deviceSelectionId: historians } = await call('PUT', '/v1/deviceSelections', {
    name: 'Historians',
    filter: "contains(folded(name),'historian') and enabled eq true",
    tenantId,
  });
  const { policyId } = await call('PUT', '/v1/policies', {
    name: 'Every host',
    deviceSelectionId,
    tenantId,
    operations: [
      {
        operationId,
        label: 'Free space of /var',
        frequencyTypeId: 2,
        interval: '00:15:00',
        parameters: [{ Name: 'Path', Source: 1, Value: '/var' }],
      },
    ],
    tags: 'managed',
    heartbeatInterval: 120,
  });
  await call('PUT', '/v1/policies', {
    name: 'Historians answer soon',
    deviceSelectionId: historians,
    tenantId,
    rank: 50,
    heartbeatInterval: 30,
    ruleValues: 'maxTemp = 80',
  });
  return { selection: String(deviceSelectionId), policy: String(policyId) };
}
