/** Creates or edits one row of any resource, in a side panel. */
import type { Resource, Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Link } from 'react-router';
import { auditTexts } from '@cloudfit/contract/messages/audit.en.ts';
import { useMay } from '../api/lookups.ts';
import { CopyId } from '../components/chips.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { FormFooter, TabFooter } from '../components/form-footer.tsx';
import { SidePanel } from '../components/side-panel.tsx';
import { toastFailure } from '../hooks/toast-failure.ts';
import { MissingRow } from '../rows/missing-row.tsx';
import { isWritable } from '../forms/form-model.ts';
import { FormFields } from '../forms/form-fields.tsx';
import { formTab, PanelTabs, tabPanelProps, usePanelTab } from './panel-tabs.tsx';
import { RowFacts } from '../forms/row-facts.tsx';
import { focusRow } from '../hooks/focus-row.ts';
import { newId, usePanel } from '../hooks/use-panel.ts';
import { showFieldErrors, useResourceForm } from '../forms/use-resource-form.ts';
import { useScope } from '../rows/use-scope.ts';
import { useHistory } from '../hooks/use-history.ts';
import { tellOfRow } from '../hooks/tell-of-row.ts';
import { useRow, useSave } from '../rows/use-rows.ts';
import { useUnsavedGuard } from '../hooks/use-unsaved-guard.ts';
import { type PanelProps, type View } from './view.ts';
import type { FormValues } from '../rows/row.ts';
import { fieldValue, keyOf, titleOf } from '../rows/row.ts';

const emptyLayout = {};

const ManagedOnDemand = onDemand(async () => (await import('./managed-notice.tsx')).ManagedNotice);

const isSettable = ({ fields }: Resource, name: string) => fields[name] !== undefined && isWritable(fields[name], 'create');

interface PanelEditorProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  row: ExpandedRow<R, Item> | undefined;
  onClose: () => void;
  /** Why nobody may edit the row; undefined when it can be edited. */
  locked?: ((row: ExpandedRow<R, Item>) => string | undefined) | undefined;
  /** Receives the saved row from the server: the answer to a creation may have values that are never shown again. */
  onSaved?: ((row: Row<R>, isNew: boolean) => void) | undefined;
}

function ResourceEditor<R extends Resource, Item extends ExpandItem<R>>({
  view,
  row,
  onClose,
  locked,
  onSaved,
}: PanelEditorProps<R, Item>) {
  const { resource, texts } = view;
  const may = useMay();
  const scope = useScope();
  const param = view.panelParam ?? 'id';
  const { close } = usePanel(param);
  const history = useHistory(resource.name, row && keyOf(resource, row));
  const mode = row ? 'edit' : 'create';
  const reason = row && locked?.(row);
  const readOnly =
    reason !== undefined || !may(resource.area, row ? 'edit' : 'create') || (row !== undefined && !resource.verbs.includes('update'));
  const start: FormValues<R> | undefined = row
    ? undefined
    : {
        ...(isSettable(resource, 'tenantId') ? { tenantId: scope.tenantId } : {}),
        ...(isSettable(resource, 'subscriptionId') ? { subscriptionId: scope.subscriptionId } : {}),
        ...view.start,
      };
  const state = useResourceForm({ resource, mode, row, layout: view.form ?? emptyLayout, readOnly, start });
  const save = useSave(resource);
  useUnsavedGuard(state.isDirty, param, state.dropDraft);
  const [tab, choose] = usePanelTab(row ? view.tabs?.others : undefined, row ? view.tabs?.first : undefined);

  const submit = state.form.handleSubmit(
    async (values) => {
      try {
        const saved = await save.mutateAsync({ id: row ? keyOf(resource, row) : undefined, values: state.changed(values) });
        tellOfRow(saved, row ? en.form.saved(resource.label) : en.form.created(resource.label));
        onSaved?.(saved, row === undefined);
        close({ saved: true });
        if (!row) focusRow(keyOf(resource, saved));
      } catch (error) {
        if (showFieldErrors(state, error)) choose();
        else if (texts.saveFailed === null) console.warn(error);
        else toastFailure(error, texts.saveFailed ?? en.failure.save(resource.label));
      }
    },
    () => choose(),
  );

  // A panel whose first tab shows the row has the row's title; its form is only one of the tabs.
  const isLooking = tab !== undefined && view.tabs?.first !== undefined;
  const formTitle = readOnly ? en.form.viewTitle : en.form.editTitle;
  const rowTitle = row && (isLooking ? titleOf(resource, row) : formTitle(resource.label, titleOf(resource, row)));
  return (
    <SidePanel
      title={rowTitle ?? en.form.createTitle(resource.label)}
      onClose={onClose}
      meta={
        row && (
          <>
            <CopyId id={keyOf(resource, row)} label={resource.fields[resource.key]?.label ?? ''} />
            {history && <Link to={history.to}>{auditTexts.history}</Link>}
          </>
        )
      }
      tabs={row && view.tabs && <PanelTabs tabs={view.tabs} label={resource.label} value={tab?.id} onChange={choose} />}
      footer={
        tab?.hasForm || (isLooking && !state.isDirty) ? (
          <TabFooter unsavedIn={state.isDirty ? view.tabs?.form : undefined} onBack={() => choose(formTab)} onClose={onClose} />
        ) : (
          <FormFooter
            formId={state.id}
            isNew={row === undefined}
            isDirty={state.isDirty}
            isSaving={save.isPending}
            readOnly={readOnly}
            {...(reason ? { reason } : {})}
            savedAt={row && fieldValue(row, 'modified')}
            onClose={onClose}
          />
        )
      }
    >
      <div className="body" hidden={tab !== undefined} {...(row && view.tabs && !tab ? tabPanelProps() : {})}>
        <form id={state.id} noValidate onSubmit={(event) => void submit(event)}>
          {row && resource.portable && <ManagedOnDemand.Component resource={resource.name} id={keyOf(resource, row)} />}
          {row && view.panelTop?.(row)}
          {row && state.isDirty && view.impact?.(row, 'update')}
          <FormFields state={state} />
          {row && <RowFacts resource={resource} row={row} />}
        </form>
      </div>
      {row && tab && (
        <div className="body" {...tabPanelProps(tab)}>
          <tab.Body row={row} />
        </div>
      )}
    </SidePanel>
  );
}

type ResourcePanelProps<R extends Resource, Item extends ExpandItem<R>> = PanelProps<ExpandedRow<R, Item>> &
  Omit<PanelEditorProps<R, Item>, 'row'>;

export function ResourcePanel<R extends Resource, Item extends ExpandItem<R>>({ row: listed, id, ...props }: ResourcePanelProps<R, Item>) {
  const { view, onClose } = props;
  const { resource } = view;
  const isNew = id === newId;
  const { data: row, error, refetch } = useRow(resource, id, { expand: view.expand, listed, enabled: !isNew });
  const { isKnown } = useScope();
  if (isNew && isKnown) return <ResourceEditor key={newId} {...props} row={undefined} />;
  if (row) return <ResourceEditor key={id} {...props} row={row} />;
  return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
}
