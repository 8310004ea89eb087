/** Seeds an action, its use in the protocol that `seedPanel` has seeded, and a rule with this protocol. */
import type { Api } from './panel-world.ts';

/** Seeds the rows. Returns the ids that the addresses of the screens contain. */
export async function seedAutomation(call: Api, tenantId: string): Promise<Record<'action' | 'protocol' | 'protocolAction', string>> {
  const action = await call('PUT', '/v1/actionDefinitions', {
    name: 'Page the desk',
    description: 'Calls the pager of a team.',
    actionDefinitionTypeId: 4,
    tenantId,
    inputParameters: 'Team,Text',
    endpointUrl: 'https://pager.example/{Team}',
    httpMethod: 'POST',
    headers: 'X-Team: {Team}',
    body: '{"text":"{Text}"}',
  });
  const actionDefinitionId = String(action['actionDefinitionId']);
  const protocols = await call('GET', `/v1/protocols?$filter=name eq 'Silent gateway'`, undefined);
  const [protocol] = protocols['value'] as { protocolId: string }[];
  const protocolId = protocol?.protocolId ?? '';
  const step = await call('PUT', '/v1/protocolActions', {
    protocolId,
    actionDefinitionId,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    summary: 'Wake the network desk',
    parameters: '{"Team":"network"}',
  });
  await call('PUT', '/v1/rules', {
    name: 'Gateway is hot',
    enabled: false,
    ruleTypeId: 1,
    tenantId,
    protocolId,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Temperature', Operator: 3, RightOperand: '90' }],
  });
  return { action: actionDefinitionId, protocol: protocolId, protocolAction: String(step['protocolActionId']) };
}
