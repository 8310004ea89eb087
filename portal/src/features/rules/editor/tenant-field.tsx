import { rules } from '@cloudfit/contract/resources/rules.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { useTenants } from '../../../api/lookups.ts';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { withTenant } from './rule-draft.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const { label } = rules.fields.tenantId;

/** Chooses the tenant and adapts the condition that names it. Values of the previous tenant are cleared. */
export function TenantField({ editing }: { editing: RuleEditing }) {
  const { values, change, touch, problemAt, readOnly } = editing;
  const { data: tenants = [], isLoading } = useTenants();
  const choices = tenants.map((tenant) => ({ value: tenant.tenantId, label: tenant.name }));
  const chosen = values.tenantId
    ? (choices.find((choice) => choice.value === values.tenantId) ?? {
        value: values.tenantId,
        label: isLoading ? en.auth.loading : values.tenantId,
      })
    : null;
  const choose = (tenantId: string | null) => {
    if (tenantId === values.tenantId) return;
    const { conditions } = withTenant(values, tenantId);
    change({ tenantId, conditions, subscriptionId: null, protocolId: null });
  };
  return (
    <Field label={label} required help={ruleEditorTexts.details.tenantHelp} error={problemAt('tenantId')}>
      {(aria) => (
        <ComboBox
          choices={choices}
          value={chosen}
          loading={isLoading}
          disabled={readOnly}
          clearable
          aria={aria}
          onBlur={() => touch('tenantId')}
          onChange={(choice) => choose(choice ? String(choice.value) : null)}
        />
      )}
    </Field>
  );
}
