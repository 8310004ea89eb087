/** Gives an agent the secured values of one operation for one run. */
import { readAgentSecrets as declared } from '@cloudfit/contract/actions/agent.ts';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import type { AgentSecrets, AgentSecretsRequest } from '@cloudfit/contract/agent/runs.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import type { ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import type { TenantSecrets, UsableSecret } from '../../../auth/tenant-secrets.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { requireAgentDevice } from '../agent/requester.ts';

interface SecretReference {
  placeholder: string;
  name: string;
}

/**
 * Returns the secrets that the parameters refer to; the value of a parameter names one secret, or a list of them with
 * placeholders.
 */
export function securedEntries(parameters: readonly ParameterValue[]): SecretReference[] {
  return parameters.flatMap(({ Name, Source, Value }) => {
    if (Source !== parameterSource.securedValue || Value === null) return [];
    if (typeof Value === 'string') return Value.trim() === '' ? [] : [{ placeholder: Name, name: Value.trim() }];
    return Value.map(({ PlaceholderKey, LookupKey }) => ({ placeholder: PlaceholderKey, name: LookupKey }));
  });
}

function problemOf(name: string, secret: UsableSecret | undefined): string | undefined {
  if (!secret) return `The secret ${name} does not exist in the tenant; it may have been revoked.`;
  if (secret.allowedActions !== null) return `The secret ${name} may be used only by the actions it names, and not by an operation.`;
  if (secret.allowedHosts !== null) return `The secret ${name} may be sent only to ${secret.allowedHosts}, and not to a device.`;
  return undefined;
}

function readAgentSecrets(ctx: Ctx, secrets: TenantSecrets, { deviceOperationId }: AgentSecretsRequest): Promise<AgentSecrets> {
  return inTransaction(ctx, async (ctx) => {
    const device = await requireAgentDevice(ctx);
    const [operation] = await ctx.db.query<{ parameters: ParameterValue[]; label: string }>({
      name: 'agent-secret-parameters',
      text: `select o.parameters, o.label from device_operation o join device d on d.device_id = o.device_id
        where o.device_operation_id = $1 and o.device_id = $2 and o.enabled and not o.is_deleted and d.enabled`,
      values: [deviceOperationId, device.deviceId],
    });
    if (!operation) throw notFound('The enabled operation of this device');
    const entries = securedEntries(operation.parameters);
    const secretsByName = await secrets.latest(
      ctx.db,
      device.tenantId,
      entries.map((entry) => entry.name),
    );
    const problems = entries.flatMap(({ name }) => problemOf(name, secretsByName.get(name)) ?? []);
    if (problems.length > 0) throw validationFailed(problems.map((message) => ({ target: 'deviceOperationId', message })));
    const value: AgentSecrets['value'] = [];
    for (const { placeholder, name } of entries) {
      const secret = secretsByName.get(name);
      if (!secret) continue;
      value.push({ placeholder, value: secret.value });
      await recordAudit(ctx.db, {
        actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
        tenantId: device.tenantId,
        verb: 'read',
        entity: 'tenantSecrets',
        entityId: secret.id,
        after: { name, deviceId: device.deviceId, deviceOperationId, label: operation.label },
        correlationId: ctx.correlationId,
        address: ctx.address,
      });
    }
    return { value };
  });
}

export const agentSecretsAction = (secrets: TenantSecrets): ImplementedAction =>
  implement(declared, (ctx, input) => readAgentSecrets(ctx, secrets, input));
