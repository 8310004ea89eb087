/** Creates or edits a tenant: details with usage and access, additional fields, secrets (TEN-004). */
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { tenants as resource } from '@cloudfit/contract/resources/tenants.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { TabPart, Tabs } from '../../components/tabs.tsx';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { FormFields } from '../../forms/form-fields.tsx';
import { labelOf, keyOf, titleOf } from '../../rows/row.ts';
import { RowFacts } from '../../forms/row-facts.tsx';
import { newId } from '../../hooks/use-panel.ts';
import { useRow } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import type { PanelProps } from '../../resource/view.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { CustomFields } from './custom-fields.tsx';
import { Secrets } from './secrets.tsx';
import { TenantAccess } from './tenant-access.tsx';
import { TenantStatus } from './tenant-status.tsx';
import { TenantUsage } from './tenant-usage.tsx';
import { toggleTenant, type Tenant } from './toggle-tenant.ts';
import { useTenantEditing } from './use-tenant-editing.ts';
import { MissingRow } from '../../rows/missing-row.tsx';

/** Few tenants end, so its code loads with its tab. */
const { Component: OffboardingTab } = onDemand(() => import('./offboarding.tsx').then((module) => module.OffboardingTab));

const { Component: RulesOfTenant } = onDemand(() =>
  import('../../entities/rule-exceptions/rules-there.tsx').then((module) => module.RulesOfTenant),
);

const idBase = 'tenant';

interface TenantEditorProps {
  row: Tenant | undefined;
  onClose: () => void;
}

function TenantEditor({ row, onClose }: TenantEditorProps) {
  const may = useMay();
  const mayEdit = may(resource.area, row ? 'edit' : 'create');
  const mayEnd = may(resource.area, 'delete');
  const readOnly = !mayEdit;
  const editing = useTenantEditing(row, readOnly);
  const { tab, choose, state, fields, secret } = editing;
  const title = row
    ? (readOnly ? en.form.viewTitle : en.form.editTitle)(resource.label, titleOf(resource, row))
    : en.form.createTitle(resource.label);
  return (
    <SidePanel
      title={title}
      onClose={onClose}
      meta={
        row && (
          <>
            <TenantStatus enabled={row.enabled} />
            <CopyId id={keyOf(resource, row)} label={labelOf(resource)} />
          </>
        )
      }
      tabs={
        <Tabs
          idBase={idBase}
          label={t.tabsLabel}
          value={tab}
          onChange={choose}
          items={[
            { id: 'details', label: t.tabs.details },
            { id: 'fields', label: t.tabs.fields, count: fields.length },
            ...(row ? [{ id: 'secrets', label: t.tabs.secrets }] : []),
            ...(row && may('Rules', 'view') ? [{ id: 'rules', label: t.tabs.rules }] : []),
            ...(row && mayEnd ? [{ id: 'offboarding', label: t.tabs.offboarding }] : []),
          ]}
        />
      }
      footer={
        <FormFooter
          formId={state.id}
          isNew={row === undefined}
          isDirty={editing.isDirty}
          isSaving={editing.isSaving}
          readOnly={readOnly}
          savedAt={row?.modified}
          onClose={onClose}
        />
      }
    >
      <TabPart idBase={idBase} id="details" tab={tab}>
        {row && !readOnly && (
          <div className="tenant-acts">
            <Button small look={row.enabled ? 'danger' : 'plain'} onClick={() => void toggleTenant(row)}>
              {row.enabled ? t.disable : t.enable}
            </Button>
          </div>
        )}
        {row && <TenantUsage tenantId={keyOf(resource, row)} />}
        <form id={state.id} noValidate onSubmit={(event) => void editing.submit(event)}>
          <FormFields state={state} />
          {row && <RowFacts resource={resource} row={row} />}
        </form>
        {row && <TenantAccess tenant={row} />}
      </TabPart>
      <TabPart idBase={idBase} id="fields" tab={tab}>
        {row && editing.changedFields.length > 0 && (
          <ImpactPanel entity="tenants" id={keyOf(resource, row)} draft={{ fields: editing.changedFields }} />
        )}
        <CustomFields fields={fields} problems={editing.problems} readOnly={readOnly} onChange={editing.changeFields} />
      </TabPart>
      {row && tab === 'secrets' && (
        <TabPart idBase={idBase} id="secrets" tab={tab}>
          <Secrets tenantId={keyOf(resource, row)} mayEdit={mayEdit} draft={secret} onDraft={editing.setSecret} />
        </TabPart>
      )}
      {row && tab === 'rules' && (
        <TabPart idBase={idBase} id="rules" tab={tab}>
          <RulesOfTenant tenantId={row.tenantId} />
        </TabPart>
      )}
      {row && mayEnd && tab === 'offboarding' && (
        <TabPart idBase={idBase} id="offboarding" tab={tab}>
          <OffboardingTab tenant={row} />
        </TabPart>
      )}
    </SidePanel>
  );
}

export function TenantPanel({ id, row: listed, onClose }: PanelProps<Tenant>) {
  const isNew = id === newId;
  const { data: row, error, refetch } = useRow(resource, id, { listed, enabled: !isNew });
  const { isKnown } = useScope();
  if (isNew && isKnown) return <TenantEditor key={newId} row={undefined} onClose={onClose} />;
  if (row) return <TenantEditor key={id} row={row} onClose={onClose} />;
  return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
