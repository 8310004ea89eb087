import { builtInActionTypes } from '@cloudfit/contract/enums.ts';
import { expectedAnswerProblems } from '@cloudfit/contract/action-answers.ts';
import { headersProblem } from '@cloudfit/contract/action-headers.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { placeholderProblem, unknownPlaceholders } from '@cloudfit/contract/rules/placeholders.ts';
import { actionTries } from '@cloudfit/contract/resources/action-tries.ts';
import { hostOf, secretUseProblem } from '../../auth/secret-use.ts';
import type { Ctx } from '../../context/ctx.ts';
import { serve, type FieldError, type RowChange } from '../../resources/served.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionUses, parametersOfUses } from './uses.ts';

/**
 * A change of one of these fields may send secrets to another receiver: the secrets that the action names itself, and those
 * that rules and protocols pass to it.
 */
const sending: readonly (keyof Row<typeof actionDefinitions>)[] = [
  'endpointUrl',
  'httpMethod',
  'headers',
  'body',
  'lookBackAddress',
  'tenantId',
];

/** Returns an error for an address whose host or port no call accepts, such as one with a placeholder or a password. */
function authorityProblems(ctx: Ctx, endpointUrl: string): FieldError[] {
  const [authority = ''] = endpointUrl.replace(/^https?:\/\//i, '').split(/[/?#\\]/);
  const target = 'endpointUrl';
  if (/[{}]/.test(authority))
    return [{ target, message: 'A placeholder cannot be part of the host or port of an address. Write them out.' }];
  if (authority.includes('@'))
    return [
      { target, message: 'An address cannot contain a user name or password. Store them as a secret, and use the secret in a header.' },
    ];
  if (!URL.canParse(endpointUrl)) return [{ target, message: 'Endpoint URL is not a valid address.' }];
  const refused = ctx.refusedCall?.(endpointUrl);
  return refused === undefined ? [] : [{ target, message: refused }];
}

async function secretProblems(ctx: Ctx, { verb, after, changed }: RowChange<Row<typeof actionDefinitions>>): Promise<FieldError[]> {
  if (!sending.some((name) => changed.includes(name))) return [];
  const host = hostOf(after.endpointUrl);
  const templates = (['endpointUrl', 'headers', 'body', 'lookBackAddress'] as const).map((target) => ({
    target,
    tenantId: after.tenantId,
    texts: [after[target]],
  }));
  const uses = verb === 'create' ? [] : await parametersOfUses(ctx, after.actionDefinitionId);
  const all = [...templates, ...uses.map((use) => ({ target: 'endpointUrl', ...use }))];
  const use = { actionDefinitionId: verb === 'create' ? undefined : after.actionDefinitionId, host };
  const errors: FieldError[] = [];
  for (const { target, tenantId, texts } of all) {
    const message = await secretUseProblem(ctx, tenantId, texts, use);
    if (message) errors.push({ target, message });
  }
  return errors;
}

/** The address up to its path, in which no placeholder may stand. */
const originIn = (address: string): string => (/^https?:\/\/[^/?#\\]+/i.exec(address)?.[0] ?? '').toLowerCase();

const nameList = (row: Row<typeof actionDefinitions>): string[] => (row.inputParameters ?? '').split(',').map((name) => name.trim());

/**
 * Returns an error for each text with an unknown placeholder, also if only its parameter was removed. Placeholders that were
 * unknown before in an unchanged text are allowed.
 */
function unknownNames({ before, after, changed }: RowChange<Row<typeof actionDefinitions>>): FieldError[] {
  return (['endpointUrl', 'headers', 'body', 'lookBackAddress'] as const).flatMap((target) => {
    const text = after[target] ?? '';
    const stored = before && !changed.includes(target) ? unknownPlaceholders(text, nameList(before)) : [];
    const message = placeholderProblem(text, [...nameList(after).filter(Boolean), ...stored]);
    return message ? [{ target, message }] : [];
  });
}

async function smsProblems(ctx: Ctx, after: Row<typeof actionDefinitions>): Promise<FieldError[]> {
  if (!nameList(after).includes('To'))
    return [{ target: 'sendsSms', message: 'An action that sends SMS to people has the input parameter To: the phone number.' }];
  const [other] = await ctx.db.query<{ name: string }>({
    text: 'select name from action_definition where sends_sms and tenant_id is not distinct from $1 and action_definition_id <> $2 limit 1',
    values: [after.tenantId, after.actionDefinitionId],
  });
  return other
    ? [{ target: 'sendsSms', message: `The action ${other.name} sends SMS to people already. Switch that off there first.` }]
    : [];
}

export const servedActionDefinitions = serve(actionDefinitions, 'action_definition', {
  check: async (ctx, change): Promise<FieldError[]> => {
    const { verb, before, after, changed } = change;
    const target = 'actionDefinitionTypeId';
    if (before && builtInActionTypes.includes(before.actionDefinitionTypeId)) {
      return [{ target, message: `A built-in action cannot be ${verb === 'delete' ? 'deleted' : 'edited'}.` }];
    }
    if (verb === 'delete') {
      const uses = await actionUses(ctx, after.actionDefinitionId);
      if (uses) throw new ApiError('Conflict', `The action ${after.name} is used by ${uses}. Remove it there first.`);
      return [];
    }
    const errors: FieldError[] = [];
    if (before && before.tenantId !== after.tenantId && after.tenantId !== null && (await actionUses(ctx, after.actionDefinitionId)))
      errors.push({ target: 'tenantId', message: 'The tenant of an action cannot be changed while rules or protocols use it.' });
    if (builtInActionTypes.includes(after.actionDefinitionTypeId))
      errors.push({ target, message: 'Built-in actions come with the product; choose another type.' });
    // Placeholders are allowed after the host and port. The filled address is checked when it is called.
    if (after.endpointUrl && !/^https?:\/\/\S+$/i.test(after.endpointUrl))
      errors.push({ target: 'endpointUrl', message: 'Endpoint URL must start with http:// or https://.' });
    else if (after.endpointUrl && changed.includes('endpointUrl')) errors.push(...authorityProblems(ctx, after.endpointUrl));
    if (after.lookBackAddress && originIn(after.lookBackAddress) !== originIn(after.endpointUrl ?? ''))
      errors.push({ target: 'lookBackAddress', message: 'Look-back address and endpoint URL must have the same host.' });
    const headers = changed.includes('headers') && after.headers ? headersProblem(after.headers) : undefined;
    if (headers) errors.push({ target: 'headers', message: headers });
    errors.push(...expectedAnswerProblems(after), ...unknownNames(change));
    if (after.sendsSms && (changed.includes('sendsSms') || changed.includes('inputParameters') || changed.includes('tenantId')))
      errors.push(...(await smsProblems(ctx, after)));
    return errors.length > 0 ? errors : secretProblems(ctx, change);
  },
});

export const servedActionHistories = serve(actionHistories, 'action_history');
export const servedActionTries = serve(actionTries, 'action_try');
