/** Makes a policy from a template that comes with the product. */
import { policyFromTemplate } from '@cloudfit/contract/policies/calls.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { policyTemplateNames } from '@cloudfit/contract/policies/template-names.ts';
import { filledValue, policyTemplates, templateFrequency } from '@cloudfit/contract/policies/templates.ts';
import type { ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import type { PolicyOperation } from '@cloudfit/contract/policies/settings.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { ruleOfCheck } from '../checks/check-rule.ts';
import { resultsOf } from '../checks/policy-results.ts';
import { servedDeviceSelections } from '../selections/selections.served.ts';
import { servedPolicies } from './policies.served.ts';

interface BuiltInOperation {
  id: string;
  packageName: string;
  name: string;
  definitions: ParameterDefinition[];
}

const builtIn = `select o.operation_id as id, p.name as "packageName", o.name, o.parameter_definitions as definitions
from operation o join package p on p.package_id = o.package_id where p.is_built_in and p.tenant_id is null and not o.is_deleted`;

async function operationsOf(
  ctx: Ctx,
  { operations }: (typeof policyTemplates)[keyof typeof policyTemplates],
  entered: Readonly<Record<string, string>>,
): Promise<PolicyOperation[]> {
  const rows = await ctx.db.query<BuiltInOperation>({ name: 'policy-template-operations', text: builtIn });
  return operations.map((template): PolicyOperation => {
    const operation = rows.find(({ packageName, name }) => packageName === template.package && name === template.operation);
    if (!operation)
      throw validationFailed([
        {
          target: 'template',
          message: `The package ${template.package} of this template is not in the catalogue yet. Try again in a minute.`,
        },
      ]);
    const { parameters = {}, label, interval } = template;
    return {
      operationId: operation.id,
      label,
      interval,
      frequencyTypeId: templateFrequency,
      parameters: operation.definitions.flatMap(({ Name, Source }) => {
        const value = parameters[Name];
        return value === undefined ? [] : [{ Name, Source, Value: filledValue(value, entered) }];
      }),
    };
  });
}

export const fromTemplate = implement(policyFromTemplate, (ctx, { template: id, values, tenantId = null, tenantGroupId = null }) =>
  inTransaction(ctx, async (ctx) => {
    const template = policyTemplates[id];
    const unknown = Object.keys(values).find((name) => template.needs[name] === undefined);
    if (unknown !== undefined)
      throw validationFailed([
        {
          target: 'values',
          message: `The template asks for ${Object.keys(template.needs).join(', ') || 'nothing'}, and not for ${unknown}.`,
        },
      ]);
    const operations = await operationsOf(ctx, template, { ...template.needs, ...values });
    const name = policyTemplateNames[id];
    const place = { tenantId, tenantGroupId: tenantId ? null : tenantGroupId };
    const { deviceSelectionId } = await create(ctx, servedDeviceSelections, { ...place, name, filter: template.filter });
    for (const [at, { label, interval, opens = [] }] of template.operations.entries())
      for (const { what, when, severityId } of opens)
        await ruleOfCheck(ctx, {
          name: `${label}: ${what} (${name})`,
          place,
          selects: resultsOf(deviceSelectionId, label),
          when,
          severityId,
          operationId: operations[at]?.operationId ?? '',
          runs: { frequencyTypeId: templateFrequency, interval },
        });
    return create(ctx, servedPolicies, { ...place, name, deviceSelectionId, enabled: false, operations, tags: template.tags ?? null });
  }),
);
