/**
 * A custom value must belong to a field that its tenant has defined, and be one of the field's options, if any (WU-133,
 * WU-134).
 */
import { type CustomFieldDefinition, customFieldTypes } from '@cloudfit/contract/resources/tenants.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { FieldError } from '../../../resources/served.ts';
import type { WorkUnitRow } from '../state.rules.ts';

const slots = Array.from({ length: 15 }, (_, i) => i + 1);
const definitionsOf = `select ${slots.map((n) => `work_unit_field_def${n} as "${n}"`).join(', ')} from tenant where tenant_id = $1`;

export async function customValueFaults(ctx: Ctx, after: WorkUnitRow, changed: readonly string[]): Promise<FieldError[]> {
  const moved = changed.includes('tenantId');
  const toCheck = slots.flatMap((n) => {
    const name = `customValue${n}` as keyof WorkUnitRow;
    const value = after[name];
    return typeof value === 'string' && value !== '' && (moved || changed.includes(name)) ? [{ n, name, value }] : [];
  });
  if (toCheck.length === 0) return [];
  const [definitions] = await ctx.db.query<Record<string, CustomFieldDefinition | null>>({
    name: 'custom-field-definitions',
    text: definitionsOf,
    values: [after.tenantId],
  });
  return toCheck.flatMap(({ n, name, value }) => {
    const definition = definitions?.[String(n)];
    if (!definition) return [{ target: name, message: `This tenant has no custom field ${n}.` }];
    if (definition.Type !== customFieldTypes.dropdown) return [];
    const options = (definition.Options ?? '').split(',').map((option) => option.trim());
    return options.includes(value) ? [] : [{ target: name, message: `${definition.Name} is one of ${options.join(', ')}.` }];
  });
}
