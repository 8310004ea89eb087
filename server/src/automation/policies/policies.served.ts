/** Policies: who sees them, what is refused, and that their devices are compared when they change. */
import { frequencyTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { parameterFaults, type ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import { formatsOfBuiltIn } from '@cloudfit/contract/packages/value-formats.ts';
import { tagsIn } from '@cloudfit/contract/policies/effective.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { policies, policyItems } from '@cloudfit/contract/resources/policies.ts';
import { ruleValuesProblem } from '@cloudfit/contract/rule-values.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, may, type Ctx } from '../../context/ctx.ts';
import { securedEntries } from '../../features/devices/operations/agent-secrets.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { ofCallersGroups, placeProblems } from '../places.ts';
import { requestPolicyChecks } from './checks.ts';

type PolicyRow = Row<typeof policies>;

interface OperationFacts {
  id: string;
  name: string;
  tenantId: string | null;
  parameterDefinitions: ParameterDefinition[];
  frequencyDefinitions: number[];
  /** The name of the built-in package; null for packages of others. */
  builtIn: string | null;
}

const operationsText = `select o.operation_id as id, o.name, o.tenant_id as "tenantId", o.parameter_definitions as "parameterDefinitions", o.frequency_definitions as "frequencyDefinitions",
  case when p.is_built_in and p.tenant_id is null then p.name end as "builtIn"
from operation o join package p on p.package_id = o.package_id where o.operation_id = any($1::uuid[]) and not o.is_deleted`;

const ofMany = 'of one tenant. A policy for several tenants names what all of them have.';

/** Whether something of a tenant, or of all, is there for every device of the policy. */
const isFor = (policy: PolicyRow, tenantId: string | null): boolean => tenantId === null || tenantId === policy.tenantId;

async function operationProblems(ctx: Ctx, policy: PolicyRow): Promise<FieldError[]> {
  const ids = policy.operations.map(({ operationId }) => operationId);
  if (ids.length === 0) return [];
  const tenant = policy.tenantId ?? null;
  if (!may(ctx, permission('Devices', 'create'), tenant))
    return [{ target: 'operations', message: `Operations need the permission ${permission('Devices', 'create')}.` }];
  const rows = await ctx.db.query<OperationFacts>({ name: 'policy-operations', text: operationsText, values: [ids] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const keys = new Set<string>();
  return policy.operations.flatMap((operation, at): FieldError[] => {
    const { operationId, label, frequencyTypeId, parameters } = operation;
    const target = `operations[${at}]`;
    const facts = byId.get(operationId);
    if (!facts) return [{ target: `${target}.operationId`, message: `The operation of ${label} was not found.` }];
    if (!isFor(policy, facts.tenantId)) return [{ target: `${target}.operationId`, message: `${facts.name} is an operation ${ofMany}` }];
    const key = `${operationId} ${label.toLowerCase()}`;
    if (keys.has(key)) return [{ target: `${target}.label`, message: `${label} is in the policy twice. Give one of them another label.` }];
    keys.add(key);
    const problems: FieldError[] = [];
    if (!facts.frequencyDefinitions.includes(frequencyTypeId)) {
      const offered = facts.frequencyDefinitions.map((id) => labelOf(frequencyTypes, id)).join(', ');
      problems.push({ target: `${target}.frequencyTypeId`, message: `${facts.name} runs ${offered} only.` });
    }
    for (const fault of parameterFaults(
      facts.parameterDefinitions,
      parameters,
      facts.builtIn === null ? {} : formatsOfBuiltIn(facts.builtIn),
    ))
      problems.push({ target: `${target}.parameters`, message: `${label}: ${fault}` });
    // Whoever chooses the program that gets a secret can read it, as for an operation of one device.
    if (securedEntries(parameters).length > 0 && !may(ctx, permission('Tenants', 'edit'), tenant))
      problems.push({ target: `${target}.parameters`, message: 'Only a person who may edit the tenant may use its secrets in a policy.' });
    return problems;
  });
}

interface PackageFacts {
  id: string;
  name: string;
  tenantId: string | null;
  versions: string[];
}

const packagesText = `select p.package_id as id, p.name, p.tenant_id as "tenantId", coalesce((select array_agg(v.package_version_id::text) from package_version v where v.package_id = p.package_id), '{}') as versions
from package p where p.package_id = any($1::uuid[])`;

async function packageProblems(ctx: Ctx, policy: PolicyRow): Promise<FieldError[]> {
  const ids = policy.packages.map(({ packageId }) => packageId);
  if (ids.length === 0) return [];
  const rows = await ctx.db.query<PackageFacts>({ name: 'policy-packages', text: packagesText, values: [ids] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return policy.packages.flatMap(({ packageId, packageVersionId }, at): FieldError[] => {
    const facts = byId.get(packageId);
    const target = `packages[${at}]`;
    if (!facts) return [{ target: `${target}.packageId`, message: 'The package was not found.' }];
    if (!isFor(policy, facts.tenantId)) return [{ target: `${target}.packageId`, message: `${facts.name} is a package ${ofMany}` }];
    if (ids.indexOf(packageId) !== at)
      return [{ target: `${target}.packageId`, message: `${facts.name} is in the policy twice. Remove one of them.` }];
    if (packageVersionId !== null && !facts.versions.includes(packageVersionId))
      return [{ target: `${target}.packageVersionId`, message: `The version of ${facts.name} was not found.` }];
    return [];
  });
}

async function selectionProblems(ctx: Ctx, { deviceSelectionId, tenantId }: PolicyRow): Promise<FieldError[]> {
  const [selection] = await ctx.db.query<{ name: string; tenantId: string | null }>({
    name: 'policy-selection',
    // The lock lasts until the policy is written, so that the selection is not deleted meanwhile.
    text: 'select name, tenant_id as "tenantId" from device_selection where device_selection_id = $1 for key share',
    values: [deviceSelectionId],
  });
  if (!selection) return [{ target: 'deviceSelectionId', message: 'Selection was not found.' }];
  return selection.tenantId === null || selection.tenantId === tenantId
    ? []
    : [
        {
          target: 'deviceSelectionId',
          message: `${selection.name} selects devices of another tenant. Choose one of this tenant, or of all.`,
        },
      ];
}

const setsNothing = ({ operations, packages, tags, heartbeatInterval, ruleValues, forbidsOthers }: PolicyRow): boolean =>
  !forbidsOthers &&
  operations.length === 0 &&
  packages.length === 0 &&
  tagsIn(tags ?? null).length === 0 &&
  (heartbeatInterval ?? null) === null &&
  !ruleValues?.trim();

/** What a policy sets. */
const content = ['operations', 'packages', 'tags', 'heartbeatInterval', 'ruleValues', 'forbidsOthers'] as const;
export const policyPlaces = ['tenantId', 'tenantGroupId', 'deviceSelectionId'] as const;

/** What changes on devices; a description does not. */
const decides = [...content, ...policyPlaces, 'enabled', 'rank', 'onLeave'] as const;

/** Why a policy cannot be saved; also asked before it is. */
export async function policyProblems(ctx: Ctx, policy: PolicyRow): Promise<FieldError[]> {
  const problem = policy.ruleValues ? ruleValuesProblem(policy.ruleValues) : undefined;
  return [
    ...placeProblems(policy, 'policy'),
    ...(setsNothing(policy)
      ? [{ target: 'operations', message: 'Say what the devices should have: an operation, a package, a tag, a value or a heartbeat.' }]
      : []),
    ...(problem ? [{ target: 'ruleValues', message: problem }] : []),
    ...(await selectionProblems(ctx, policy)),
    ...(await operationProblems(ctx, policy)),
    ...(await packageProblems(ctx, policy)),
  ];
}

/** Why the policy cannot be changed: a new version of it is going out ring by ring. */
async function rolloutProblems(ctx: Ctx, policyId: string): Promise<FieldError[]> {
  const [open] = await ctx.db.query<{ title: string }>({
    name: 'policy-rollout-title',
    text: 'select c.title from policy_rollout o join campaign c on c.campaign_id = o.campaign_id where o.policy_id = $1 and o.ended is null',
    values: [policyId],
  });
  const message = `A new version of this policy is going out by the campaign ${open?.title}. Wait for its end, or stop it.`;
  return open ? [{ target: 'policyId', message }] : [];
}

export const servedPolicies = serve(policies, 'device_policy', {
  rowsFor: ofCallersGroups,
  fill: (ctx, { verb }) => ({ modifiedBy: actorName(ctx), ...(verb === 'create' ? { createdBy: actorName(ctx) } : {}) }),
  check: async (ctx, { verb, after, changed }) => {
    if (verb !== 'create' && (verb === 'delete' || decides.some((name) => changed.includes(name)))) {
      const problems = await rolloutProblems(ctx, after.policyId);
      if (problems.length > 0) return problems;
    }
    return verb === 'delete' || ![...content, ...policyPlaces].some((name) => changed.includes(name)) ? [] : policyProblems(ctx, after);
  },
  needsAfter: ({ verb, changed }) => verb !== 'update' || decides.some((name) => changed.includes(name)),
  after: (ctx, { before, after }) => requestPolicyChecks(ctx, after.policyId, [before?.deviceSelectionId ?? null, after.deviceSelectionId]),
});

export const servedPolicyItems = serve(policyItems, 'policy_item');
