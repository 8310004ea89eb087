/** Checks who may use tenant secrets in actions and mails, and where each secret may be sent. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../context/ctx.ts';

export function namesSecret(value: unknown): boolean {
  return typeof value === 'string' && /\{Secret:/i.test(value);
}

/** The policy of a secret: where it may be used. A null field does not restrict the use. */
export interface SecretPolicy {
  name: string;
  /** Host names separated by commas; `*.example.com` matches its subdomains. */
  allowedHosts: string | null;
  /** Ids of the action definitions that may use the secret. */
  allowedActions: readonly string[] | null;
}

/** One use: by an action (undefined: an unsaved one), to a host (undefined: by mail). */
export interface SecretUse {
  actionDefinitionId: string | undefined;
  host: string | undefined;
}

function isHostOf(host: string, allowedHosts: string): boolean {
  return allowedHosts.split(',').some((text) => {
    const allowed = text.trim().toLowerCase();
    return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : allowed !== '' && host === allowed;
  });
}

export function policyProblem(policy: SecretPolicy, { actionDefinitionId, host }: SecretUse): string | undefined {
  const { name, allowedHosts, allowedActions } = policy;
  if (allowedActions !== null && (actionDefinitionId === undefined || !allowedActions.includes(actionDefinitionId)))
    return `The secret ${name} may be used only by the actions it names, and this is not one of them.`;
  if (allowedHosts !== null && host === undefined) return `The secret ${name} may be sent only to ${allowedHosts}, and not by mail.`;
  if (allowedHosts !== null && host !== undefined && !isHostOf(host.toLowerCase(), allowedHosts))
    return `The secret ${name} may be sent only to ${allowedHosts}, and not to ${host}.`;
  return undefined;
}

/** Returns the host of an address; '' if it is invalid. Placeholders, which must come after the host, are replaced by `x`. */
export function hostOf(endpointUrl: string | null | undefined): string {
  try {
    return new URL((endpointUrl ?? '').replaceAll(/\{[^{}]*\}/g, 'x')).hostname;
  } catch {
    return '';
  }
}

/** Matches the placeholders of secrets in a text; the first group is the name of the secret. */
export const secretPlaceholders = /\{Secret:([A-Za-z0-9_][\w.-]*)\}/g;
/** Matches a parameter that consists only of the placeholder of one secret. */
export const wholeSecret = /^\{Secret:([A-Za-z0-9_][\w.-]*)\}$/;

/**
 * Returns the first error in the use of secrets in these texts. Whoever uses a secret decides where it is sent, which
 * needs the permission to edit the tenant. A global action uses the secrets of the tenant that it runs for, so the
 * policies of that tenant's secrets are checked when the action runs.
 */
export async function secretUseProblem(
  ctx: Ctx,
  tenantId: string | null,
  texts: readonly unknown[],
  use: SecretUse,
): Promise<string | undefined> {
  if (!texts.some(namesSecret)) return undefined;
  if (!may(ctx, permission('Tenants', 'edit'), tenantId))
    return `Only a person who may edit the tenant may name its secrets in ${use.actionDefinitionId === builtInAction.email ? 'a mail' : 'an action'}.`;
  const names = [
    ...texts
      .filter((text) => typeof text === 'string')
      .join('\n')
      .matchAll(secretPlaceholders),
  ].map(([, name]) => name);
  if (tenantId === null) return undefined;
  const policies = await ctx.db.query<SecretPolicy>({
    name: 'secret-policies',
    text: `select name, allowed_hosts as "allowedHosts", allowed_actions as "allowedActions" from tenant_secret
      where tenant_id = $1 and name = any($2) order by name`,
    values: [tenantId, names],
  });
  return policies.map((policy) => policyProblem(policy, use)).find((problem) => problem !== undefined);
}
