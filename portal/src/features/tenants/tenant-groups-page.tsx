import { tenantGroupTexts as t } from '@cloudfit/contract/messages/tenant-groups.en.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { useTenants } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import './tenant-groups.css';

/** The tenants of the group as chips, and a field that adds one. */
function TenantsInput({ value, onChange, disabled, aria }: InputProps) {
  const ids = (value ?? []) as readonly string[];
  const { data: tenants = [], isLoading } = useTenants();
  const choices = tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }));
  return (
    <div className="group-tenants" role="group" aria-describedby={aria['aria-describedby']}>
      {ids.length === 0 && <p className="faint">{t.noTenants}</p>}
      <ul>
        {ids.map((id) => {
          const name = choices.find((choice) => choice.value === id)?.label ?? '…';
          return (
            <li key={id} className="chip plain">
              {name}
              {!disabled && (
                <IconButton small icon="close" label={t.removeTenant(name)} onClick={() => onChange(ids.filter((item) => item !== id))} />
              )}
            </li>
          );
        })}
      </ul>
      {!disabled && (
        <Field label={t.addTenant} labelHidden>
          {(inner) => (
            <ComboBox
              // A new key empties the field after each choice.
              key={ids.length}
              choices={choices.filter((choice) => !ids.includes(choice.value))}
              value={null}
              loading={isLoading}
              aria={inner}
              placeholder={t.addTenant}
              onChange={(choice) => choice && onChange([...ids, String(choice.value)])}
            />
          )}
        </Field>
      )}
    </div>
  );
}

const tenantGroupsView = defineView({
  resource: tenantGroups,
  icon: 'tenants',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.remove,
    deleted: (row) => t.removed(row.name),
    deleteQuestion: (row) => t.removeQuestion(row.name),
  },
  columns: [
    'name',
    {
      id: 'tenantIds',
      header: tenantGroups.fields.tenantIds.label,
      width: 96,
      cell: (row) => <span className="num">{row.tenantIds.length}</span>,
      text: (row) => String(row.tenantIds.length),
    },
    'description',
    'modified',
  ],
  form: {
    sections: [{ fields: ['name', 'tenantIds', 'description'] }],
    wide: ['tenantIds'],
    inputs: { tenantIds: TenantsInput },
  },
});

/** Named sets of tenants, for which rules are written once. */
export function TenantGroupsPage() {
  return <ListPage view={tenantGroupsView} />;
}
