/** Makes a policy from a template that comes with the product. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { policyFromTemplate } from '@cloudfit/contract/policies/calls.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { policyTemplateNames } from '@cloudfit/contract/policies/template-names.ts';
import { enteredOrUsual, filledValue, needFaults, policyTemplates, templateFrequency } from '@cloudfit/contract/policies/templates.ts';
import type { ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import type { PolicyOperation } from '@cloudfit/contract/policies/settings.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { create } from '../../resources/create.ts';
import { ruleOfCheck } from '../checks/check-rule.ts';
import { resultsOf } from '../checks/policy-results.ts';
import type { TenantPlace } from '../places.ts';
import { servedOf } from '../../resources/served.ts';

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
      label: startOf(filledValue(label, entered), 200),
      interval,
      frequencyTypeId: templateFrequency,
      parameters: operation.definitions.flatMap(({ Name, Source }) => {
        const value = filledValue(parameters[Name] ?? '', entered);
        return value === '' ? [] : [{ Name, Source, Value: value }];
      }),
    };
  });
}

const namesText = `select lower(name) as name from device_policy where not is_deleted and tenant_id is not distinct from $1 and tenant_group_id is not distinct from $2
union select lower(name) from device_selection where tenant_id is not distinct from $1 and tenant_group_id is not distinct from $2`;

/** The name of the template, with a number if the place has it already. */
async function freeName(ctx: Ctx, { tenantId, tenantGroupId }: TenantPlace, name: string): Promise<string> {
  const rows = await ctx.db.query<{ name: string | null }>({
    name: 'policy-template-names',
    text: namesText,
    values: [tenantId, tenantGroupId],
  });
  const usedNames = new Set(rows.map((row) => row.name));
  let number = 1;
  const numbered = () => (number === 1 ? name : `${name} ${number}`);
  while (usedNames.has(numbered().toLowerCase())) number += 1;
  return numbered();
}

export const fromTemplate = implement(
  policyFromTemplate,
  (ctx, { template: id, values, tenantId = null, tenantGroupId = null, deviceSelectionId: chosen = null }) =>
    inTransaction(ctx, async (ctx) => {
      const template = policyTemplates[id];
      const unknown = Object.keys(values).find((name) => template.needs[name] === undefined);
      if (unknown !== undefined)
        throw validationFailed([
          { target: 'values', message: `The template asks for ${Object.keys(template.needs).join(', ')}, and not for ${unknown}.` },
        ]);
      const faults = Object.entries(needFaults(template, values));
      if (faults.length > 0) throw validationFailed(faults.map(([need, message]) => ({ target: `values.${need}`, message })));
      const entered = enteredOrUsual(template, values);
      const operations = await operationsOf(ctx, template, entered);
      const place = { tenantId, tenantGroupId: tenantId ? null : tenantGroupId };
      const name = await freeName(ctx, place, policyTemplateNames[id]);
      const deviceSelectionId =
        chosen ?? (await create(ctx, servedOf(deviceSelections), { ...place, name, filter: template.filter })).deviceSelectionId;
      // The policy comes first, because it refuses a selection that it cannot be for.
      const policy = await create(ctx, servedOf(policies), {
        ...place,
        name,
        deviceSelectionId,
        enabled: false,
        operations,
        tags: template.tags ?? null,
      });
      for (const [at, { interval, opens = [] }] of template.operations.entries())
        for (const { what, when, severityId } of opens) {
          const { label = '', operationId = '' } = operations[at] ?? {};
          await ruleOfCheck(ctx, {
            name: `${label}: ${what} (${name})`,
            place,
            selects: resultsOf(deviceSelectionId, label),
            when,
            severityId,
            operationId,
            runs: { frequencyTypeId: templateFrequency, interval },
          });
        }
      return policy;
    }),
);
