/** Returns what a test of an action would send, with secrets masked. Sends and writes nothing. */
import { randomUUID } from 'node:crypto';
import { previewAction } from '@cloudfit/contract/actions/automation.ts';
import { builtInAction, builtInActionTypes } from '@cloudfit/contract/enums.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { hostOf, policyProblem, secretPlaceholders, wholeSecret, type SecretPolicy } from '../../auth/secret-use.ts';
import type { Ctx } from '../../context/ctx.ts';
import { readTested } from '../../features/actions/tested.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { loadTestedAction, type Links } from '../action-context.ts';
import type { QueuedExecution } from '../execution.ts';
import { ActionFailure } from '../action-result.ts';
import { jsonProblem, requestOf } from '../call-endpoint.ts';
import { newFiller, type PlaceholderValues } from '../placeholders.ts';
import { composeEmail } from '../send-email.ts';
import { unfilledOf } from './unfilled.ts';

const mask = '***';

interface MaskedSecrets {
  values: PlaceholderValues;
  /** Why one of the secrets may not be sent by this action. */
  problem: string | undefined;
}

/** Returns a mask for each secret that exists; the values of secrets are not read. */
async function maskedSecrets(ctx: Ctx, { definition, tenantId, parameters }: QueuedExecution, isMail: boolean): Promise<MaskedSecrets> {
  const texts = [definition?.endpointUrl, definition?.headers, definition?.body, ...Object.values(parameters)].map(String).join('\n');
  const names = [...texts.matchAll(secretPlaceholders)].map(([, name = '']) => name);
  const secrets = await ctx.db.query<SecretPolicy>({
    name: 'preview-secrets',
    text: `select name, allowed_hosts as "allowedHosts", allowed_actions as "allowedActions" from tenant_secret
      where tenant_id = $1 and name = any($2) order by name`,
    values: [tenantId, names],
  });
  const use = { actionDefinitionId: definition?.id, host: isMail ? undefined : hostOf(definition?.endpointUrl) };
  const isFound = (name: string | undefined) => secrets.some((secret) => secret.name === name);
  const ofParameters = Object.entries(parameters).filter(([, value]) => isFound(wholeSecret.exec(String(value))?.[1]));
  return {
    values: Object.fromEntries([
      ...names.map((name) => [`Secret:${name}`, isFound(name) ? mask : undefined] as const),
      ...ofParameters.map(([parameter]) => [parameter, mask] as const),
    ]),
    problem: secrets.map((secret) => policyProblem(secret, use)).find((problem) => problem !== undefined),
  };
}

type Preview = ReturnType<NonNullable<typeof previewAction.output>['parse']>;

function ofMail(execution: QueuedExecution, { values }: MaskedSecrets): Partial<Preview> {
  const { to, cc = '', bcc = '', subject, text, unknown, empty } = composeEmail(execution, values);
  return { mail: { to, cc, bcc, subject, body: text }, unfilled: [...unknown, ...empty] };
}

function ofCall(execution: QueuedExecution, { values }: MaskedSecrets): Partial<Preview> {
  const { definition } = execution;
  if (!definition) throw notFound('Action Definition');
  const filler = newFiller({ ...execution.values, ...values }, definition.inputParameters);
  const request = requestOf(definition, execution, filler);
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }));
  return {
    request: { method: request.method, url: request.url, headers, body: request.body ?? null },
    unfilled: unfilledOf(execution, [...filler.unknown, ...filler.empty], values),
    problem: jsonProblem(request) ?? null,
  };
}

function previewOf(execution: QueuedExecution, secrets: MaskedSecrets): Partial<Preview> {
  const { definition } = execution;
  try {
    if (definition?.id === builtInAction.email) return ofMail(execution, secrets);
    if (definition && builtInActionTypes.includes(definition.typeId)) return { unfilled: unfilledOf(execution) };
    return ofCall(execution, secrets);
  } catch (error) {
    if (error instanceof ActionFailure) return { unfilled: unfilledOf(execution, [], secrets.values), problem: error.message };
    throw error;
  }
}

export function previewActionAction(links: Links): ImplementedAction {
  return implement(previewAction, async (ctx, input) => {
    const tested = await readTested(ctx, input);
    const execution = await loadTestedAction(ctx.db, randomUUID(), tested, links);
    if (!execution) throw notFound('Tenant');
    const secrets = await maskedSecrets(ctx, execution, input.id === builtInAction.email);
    const preview = { request: null, mail: null, unfilled: [], problem: null, ...previewOf(execution, secrets) };
    const values = { ...execution.values, ...secrets.values };
    return {
      ...preview,
      problem: secrets.problem ?? preview.problem,
      parameters: Object.keys(execution.parameters).map((name) => ({ name, value: String(values[name] ?? '') })),
    };
  });
}
