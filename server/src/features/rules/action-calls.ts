/**
 * Checks the actions that a rule runs: each must exist for the rule's tenant, be allowed in rules, and refer only to existing
 * rows.
 */
import { isDeepStrictEqual } from 'node:util';
import { builtInAction, ruleActionTypes, severities } from '@cloudfit/contract/enums.ts';
import { parameterProblems } from '@cloudfit/contract/rules/placeholders.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { FieldError } from '../../resources/served.ts';
import { isGuid } from '../../auth/guid.ts';
import { hostOf, secretUseProblem } from '../../auth/secret-use.ts';

const lists = ['matchActions', 'expirationActions'] as const;

type CallLists = Readonly<Record<(typeof lists)[number], readonly ActionCall[]>>;

interface KnownActions {
  name: string;
  type: number;
  endpointUrl: string | null;
  inputParameters: string | null;
}

/**
 * Returns the action definitions of the tenant and global ones by id. Definitions of other tenants are left out, like ones that
 * do not exist.
 */
async function knownActions(ctx: Ctx, tenantId: string | null, ids: readonly string[]): Promise<Map<string, KnownActions>> {
  const rows = await ctx.db.query<KnownActions & { id: string }>({
    name: 'rule-actions',
    // The lock lasts until the rule is written, so that no action is deleted meanwhile.
    text: `select action_definition_id as id, name, action_definition_type_id as type, endpoint_url as "endpointUrl",
  input_parameters as "inputParameters" from action_definition
where action_definition_id = any($1::uuid[]) and (tenant_id is null or tenant_id = $2) order by 1 for key share`,
    values: [ids, tenantId],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

async function knownProtocols(ctx: Ctx, tenantId: string | null, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.query<{ id: string }>({
    name: 'rule-protocols',
    text: 'select protocol_id as id from protocol where protocol_id = any($1::uuid[]) and (tenant_id is null or tenant_id = $2) order by 1 for key share',
    values: [ids, tenantId],
  });
  return new Set(rows.map((row) => row.id));
}

async function existingTypes(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.query<{ id: string }>({
    name: 'rule-unit-types',
    text: 'select work_unit_type_id::text as id from work_unit_type where work_unit_type_id::text = any($1::text[])',
    values: [ids],
  });
  return new Set(rows.map((row) => row.id));
}

async function existingCategories(ctx: Ctx, tenantId: string | null, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.query<{ id: string }>({
    name: 'rule-unit-categories',
    text: 'select work_unit_category_id as id from work_unit_category where work_unit_category_id = any($1::uuid[]) and (tenant_id is null or tenant_id = $2)',
    values: [ids, tenantId],
  });
  return new Set(rows.map((row) => row.id));
}

/** The ids of existing rows to which a new work unit refers, by parameter. */
type UnitRows = Record<'ProtocolId' | 'WorkUnitTypeId' | 'WorkUnitCategoryId', Set<string>>;
const unitRows = { WorkUnitTypeId: 'Work unit type', WorkUnitCategoryId: 'Category' } as const;

const isOpening = (call: ActionCall): boolean => call.ActionDefinitionId === builtInAction.createWorkUnit;

const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
const protocolOf = (call: ActionCall): string =>
  call.ActionDefinitionId === builtInAction.createWorkUnit ? text(call.Parameters['ProtocolId']).toLowerCase() : '';

function problemsOf(
  call: ActionCall,
  at: string,
  tenantId: string | null,
  actions: Map<string, KnownActions>,
  rows: UnitRows,
): FieldError[] {
  const action = actions.get(call.ActionDefinitionId);
  if (!action) return [{ target: `${at}.ActionDefinitionId`, message: 'Action was not found.' }];
  if (!ruleActionTypes.includes(action.type))
    return [{ target: `${at}.ActionDefinitionId`, message: `Rules cannot run the action ${action.name}. Choose another one.` }];
  const errors: FieldError[] = [];
  const severity = text(call.Parameters['SeverityId']);
  const hasSeverity = isOpening(call) || call.ActionDefinitionId === builtInAction.changeWorkUnit;
  if (hasSeverity && severity !== '' && !severities.some((candidate) => candidate === severity))
    errors.push({ target: `${at}.Parameters.SeverityId`, message: `Severity is one of ${severities.join(', ')}.` });
  if (!isOpening(call)) return errors;
  const tenant = text(call.Parameters['TenantId']).toLowerCase();
  if (tenant !== '' && tenant !== tenantId)
    errors.push({
      target: `${at}.Parameters.TenantId`,
      message:
        tenantId === null
          ? 'A rule for several tenants opens a work unit in the tenant that it matches. Leave the tenant out.'
          : 'A rule opens work units only in its own tenant. Choose that tenant.',
    });
  const protocol = protocolOf(call);
  if (protocol !== '' && !rows.ProtocolId.has(protocol))
    errors.push({ target: `${at}.Parameters.ProtocolId`, message: 'Protocol was not found.' });
  for (const name of ['WorkUnitTypeId', 'WorkUnitCategoryId'] as const)
    if (text(call.Parameters[name]) !== '' && !rows[name].has(text(call.Parameters[name]).toLowerCase()))
      errors.push({ target: `${at}.Parameters.${name}`, message: `${unitRows[name]} was not found.` });
  return errors;
}

/** Returns an error for each parameter that the action does not declare: it would be stored without effect. */
function unknownParameters({ Parameters }: ActionCall, at: string, action: KnownActions | undefined): FieldError[] {
  if (!action) return [];
  const names = (action.inputParameters ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const takes = names.length === 0 ? 'It takes none.' : `It takes ${names.join(', ')}.`;
  return Object.keys(Parameters)
    .filter((name) => !names.includes(name))
    .map((name) => ({ target: `${at}.Parameters.${name}`, message: `${action.name} has no parameter ${name}. ${takes}` }));
}

/**
 * Returns the errors of the rule's actions. `before` has the actions before the change; their secrets and parameters were
 * checked when they were added.
 */
export async function actionCallProblems(
  ctx: Ctx,
  tenantId: string | null,
  rule: CallLists,
  before?: CallLists | null,
): Promise<FieldError[]> {
  const calls = lists.flatMap((list) => rule[list].map((call, index) => ({ call, at: `${list}[${index}]` })));
  if (calls.length === 0) return [];
  const actions = await knownActions(ctx, tenantId, [...new Set(calls.map(({ call }) => call.ActionDefinitionId))]);
  const named = (name: string) => [
    ...new Set(calls.filter(({ call }) => isOpening(call)).map(({ call }) => text(call.Parameters[name]).toLowerCase())),
  ];
  const rows: UnitRows = {
    ProtocolId: await knownProtocols(ctx, tenantId, named('ProtocolId').filter(isGuid)),
    WorkUnitTypeId: await existingTypes(
      ctx,
      named('WorkUnitTypeId').filter((id) => /^\d{1,15}$/.test(id)),
    ),
    WorkUnitCategoryId: await existingCategories(ctx, tenantId, named('WorkUnitCategoryId').filter(isGuid)),
  };
  const errors = calls.flatMap(({ call, at }) => problemsOf(call, at, tenantId, actions, rows));
  const callsBefore = before ? lists.flatMap((list) => before[list]) : [];
  for (const { call, at } of calls.filter(({ call }) => !callsBefore.some((item) => isDeepStrictEqual(item, call)))) {
    errors.push(...unknownParameters(call, at, actions.get(call.ActionDefinitionId)));
    const action = actions.get(call.ActionDefinitionId);
    const parameters = {
      actionDefinitionId: call.ActionDefinitionId,
      inputParameters: action?.inputParameters,
      parameters: call.Parameters,
    };
    for (const { name, message } of parameterProblems(parameters)) errors.push({ target: `${at}.Parameters.${name}`, message });
    const isMail = call.ActionDefinitionId === builtInAction.email;
    const use = {
      actionDefinitionId: call.ActionDefinitionId,
      host: isMail ? undefined : hostOf(actions.get(call.ActionDefinitionId)?.endpointUrl),
    };
    const message = await secretUseProblem(ctx, tenantId, Object.values(call.Parameters), use);
    if (message) errors.push({ target: `${at}.Parameters`, message });
  }
  return errors;
}

/**
 * Writes the ids of protocols in lower case, as PostgreSQL prints them, so that the query for the uses of a protocol matches
 * them.
 */
export function withPlainIds(calls: readonly ActionCall[]): ActionCall[] {
  return calls.map((call) => {
    const protocol = protocolOf(call);
    return protocol === '' ? call : { ...call, Parameters: { ...call.Parameters, ProtocolId: protocol } };
  });
}
