/** Templates of customers, and how one is made from a customer that exists. */
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { templateFromTenant } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { customerTexts as t } from '@cloudfit/contract/messages/customers.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { f, type Row } from '@cloudfit/contract/resource.ts';
import { customerTemplates } from '@cloudfit/contract/resources/customer-templates.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { call } from '../../api/call.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import './customers.css';

type TemplateRow = Row<typeof customerTemplates>;

/** The kinds of rows of a template with their numbers, such as `Rules 4, Locations 2`. */
function kindsOf({ content }: TemplateRow): { label: string; count: number; names: string[] }[] {
  const {
    document,
    access = [],
    tokens = [],
  } = content as {
    document?: { rows?: Record<string, Record<string, unknown>[]> };
    access?: { userName?: string; claim?: string }[];
    tokens?: { name?: string }[];
  };
  const kinds = Object.entries(document?.rows ?? {}).flatMap(([name, rows]) => {
    const resource = findResource(name);
    if (rows.length === 0 || name === 'tenants') return [];
    return [
      { label: resource?.plural ?? name, count: rows.length, names: rows.map((row) => String(row[resource?.title ?? 'name'] ?? '')) },
    ];
  });
  return [
    ...kinds,
    { label: t.access, count: access.length, names: access.map(({ userName, claim }) => userName ?? claim ?? '') },
    { label: t.tokens, count: tokens.length, names: tokens.map(({ name }) => name ?? '') },
  ].filter(({ count }) => count > 0);
}

const containsText = (row: TemplateRow): string =>
  kindsOf(row)
    .map(({ label, count }) => `${label} ${count}`)
    .join(', ');

function Contains({ row }: { row: TemplateRow }) {
  return (
    <section className="form-section" aria-label={t.contains}>
      <h3>{t.contains}</h3>
      <div className="customer-preview">
        {kindsOf(row).map(({ label, count, names }) => (
          <details key={label}>
            <summary>
              {label} <span className="faint num">{count}</span>
            </summary>
            <ul>
              {names.map((name, i) => (
                <li key={`${name} ${i}`}>{name}</li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </section>
  );
}

const templatesView = defineView({
  resource: customerTemplates,
  icon: 'tenants',
  // A template is made from a customer, or sent as a file.
  offers: ['list', 'update', 'delete'],
  texts: {
    title: t.templates,
    emptyText: t.templatesEmpty,
    delete: t.remove,
    deleted: (row) => t.removed(row.name),
    deleteQuestion: (row) => t.removeQuestion(row.name),
  },
  columns: [
    'name',
    'description',
    {
      id: 'content',
      width: 320,
      header: t.contains,
      below: 'md',
      cell: (row) => <span className="faint">{containsText(row)}</span>,
      text: containsText,
    },
    'modified',
  ],
  form: { sections: [{ fields: ['name', 'description'] }], wide: ['name'] },
  panelTop: (row) => <Contains row={row} />,
});

function TenantInput({ aria, value, onChange }: InputProps) {
  const { data: tenants = [], isLoading } = useTenants();
  const choices = tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }));
  return (
    <ComboBox
      choices={choices}
      loading={isLoading}
      value={choices.find((choice) => choice.value === value) ?? null}
      aria={aria}
      onChange={(choice) => onChange(choice ? String(choice.value) : '')}
    />
  );
}

const layout = { wide: ['tenantId', 'name', 'description'] as const, inputs: { tenantId: TenantInput } };

function FromCustomer({ onClose }: { onClose: () => void }) {
  const [left, setLeft] = useState<CallOutput<typeof templateFromTenant>['left']>();
  const fields = useMemo(
    () => ({
      tenantId: f.text(t.customer, { required: true }),
      name: customerTemplates.fields.name,
      description: customerTemplates.fields.description,
    }),
    [],
  );
  const { isBusy, ...form } = useActionForm((values) => call(templateFromTenant, values, { creates: true, quiet: true }), {
    draft: 'customer template',
    fields,
    layout,
    onDone: (answer, { name }) => {
      toast.success(t.templateMade(name));
      if (answer.left.length > 0) setLeft(answer.left);
      else onClose();
    },
    refreshes: [customerTemplates.name],
  });
  useUnsavedGuard(form.state.isDirty && !left, 'from', form.state.dropDraft);
  return (
    <SidePanel
      title={t.fromCustomer}
      onClose={onClose}
      footer={
        <>
          {!left && (
            <Button look="primary" type="submit" form={form.state.id} disabled={isBusy}>
              {isBusy ? t.makingTemplate : t.makeTemplate}
            </Button>
          )}
          <Button onClick={onClose}>{left ? en.common.close : en.common.cancel}</Button>
        </>
      }
    >
      <div className="body">
        {left ? (
          <div className="notice warning" role="status">
            <p>{t.left(left.length)}</p>
            <ul>
              {left.map(({ at, resource, name, reason }) => (
                <li key={at}>
                  {findResource(resource)?.label ?? resource} <strong>{name}</strong>: {reason}
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <ActionForm {...form}>
            <p className="faint">{t.fromCustomerText}</p>
          </ActionForm>
        )}
      </div>
    </SidePanel>
  );
}

export function CustomerTemplatesPage() {
  const [isOpen, setOpen] = useState(false);
  const mayMake = useMay()('Tenants', 'create');
  return (
    <>
      <ListPage
        view={templatesView}
        bar={
          mayMake && (
            <>
              <Button small onClick={() => setOpen(true)}>
                {t.fromCustomer}
              </Button>
              <Link className="btn small" to="/tenants?customer=new">
                {t.newCustomer}
              </Link>
            </>
          )
        }
      />
      {isOpen && <FromCustomer onClose={() => setOpen(false)} />}
    </>
  );
}
