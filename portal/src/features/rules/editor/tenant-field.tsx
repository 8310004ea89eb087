import { rules } from '@cloudfit/contract/resources/rules.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { useQuery } from '@tanstack/react-query';
import { useMay, useMayEverywhere, useTenants } from '../../../api/lookups.ts';
import { ComboBox, type ComboChoice } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { fetchPage } from '../../../rows/use-rows.ts';
import { withTenant } from './rule-draft.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const { label } = rules.fields.tenantId;
const t = ruleEditorTexts.details;
/** What the id of a group follows in the value of a choice. */
export const ofGroup = 'group ';

/** The groups of which the person sees all tenants. */
export function useTenantGroups(): ComboChoice[] {
  const may = useMay();
  const { data } = useQuery({
    queryKey: [tenantGroups.name, 'choices'],
    queryFn: async ({ signal }) => (await fetchPage(tenantGroups, { orderBy: 'name asc', top: 1_000 }, signal)).rows,
    enabled: may('Tenants', 'view'),
    staleTime: 60_000,
  });
  return (data ?? []).map(({ tenantGroupId, name, tenantIds }) => ({
    value: `${ofGroup}${tenantGroupId}`,
    label: name,
    hint: t.groupHint(tenantIds.length),
  }));
}

/**
 * Chooses the tenant, a group, or all tenants by clearing it, and adapts the condition that names the tenant. Values of the previous
 * tenant are cleared.
 */
export function TenantField({ editing }: { editing: RuleEditing }) {
  const { values, change, touch, problemAt, readOnly } = editing;
  const { data: tenants = [], isLoading } = useTenants();
  const groups = useTenantGroups();
  const mayForAll = useMayEverywhere('Rules', 'edit');
  const isForMany = values.tenantId === null;
  const choices = [...(mayForAll || isForMany ? groups : []), ...tenants.map((tenant) => ({ value: tenant.tenantId, label: tenant.name }))];
  const { tenantGroupId } = values;
  const value = values.tenantId ?? (tenantGroupId === null ? null : `${ofGroup}${tenantGroupId}`);
  const unknown = isLoading ? en.auth.loading : isForMany ? en.rules.severalTenants : String(value);
  const chosen = value === null ? null : (choices.find((choice) => choice.value === value) ?? { value, label: unknown });
  const choose = (next: string | null) => {
    if (next === value) return;
    const groupId = next?.startsWith(ofGroup) ? next.slice(ofGroup.length) : null;
    const moved = withTenant(values, groupId === null ? next : null);
    change({
      tenantId: moved.tenantId,
      tenantGroupId: groupId,
      conditions: moved.conditions,
      subscriptionId: null,
      protocolId: null,
      runbookId: null,
    });
  };
  return (
    <Field
      label={label}
      required={!mayForAll}
      help={mayForAll ? t.tenantsHelp : t.tenantHelp}
      error={problemAt('tenantId') ?? problemAt('tenantGroupId')}
    >
      {(aria) => (
        <ComboBox
          choices={choices}
          value={chosen}
          loading={isLoading}
          disabled={readOnly}
          clearable={mayForAll === true}
          placeholder={isForMany ? en.rules.allTenants : undefined}
          aria={aria}
          onBlur={() => touch('tenantId')}
          onChange={(choice) => choose(choice ? String(choice.value) : null)}
        />
      )}
    </Field>
  );
}
