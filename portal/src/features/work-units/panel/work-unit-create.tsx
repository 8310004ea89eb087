import { useParams, useSearchParams } from 'react-router';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts as t } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { useContextNow } from '../../../api/context.ts';
import { Button } from '../../../components/button.tsx';
import { SidePanel } from '../../../components/side-panel.tsx';
import { EmptyState, Skeleton } from '../../../components/states.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { useAddress } from '../../../hooks/use-address.ts';
import { FormFields } from '../../../forms/form-fields.tsx';
import { showFieldErrors } from '../../../forms/use-resource-form.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { useUnsavedGuard } from '../../../hooks/use-unsaved-guard.ts';
import { PlanCollisions } from '../changes/plan-collisions.tsx';
import { Properties } from './properties.tsx';
import { tabPanelProps, UnitTabs, useUnitTab } from './unit-tabs.tsx';
import { useWorkUnitSave } from './use-work-unit.ts';
import { saveFailureText } from '../work-unit.rules.ts';
import { blankWorkUnit } from './work-unit-form.ts';
import { useUnitForm } from './use-unit-form.ts';

/** A blank unit of the type that the address names, of the current tenant. */
export function WorkUnitCreate({ onClose }: { onClose: () => void }) {
  const { tenantId: inAddress } = useParams();
  const { tenantId, isKnown } = useContextNow(inAddress);
  if (isKnown) return <BlankUnit tenantId={tenantId} onClose={onClose} />;
  return (
    <SidePanel title={workUnitTexts.createTitle} onClose={onClose}>
      <div className="body">
        <Skeleton width="60%" />
      </div>
    </SidePanel>
  );
}

function BlankUnit({ tenantId, onClose }: { tenantId: string | null; onClose: () => void }) {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const { create } = useWorkUnitSave();
  const first = Number(params.get('type')) || workUnitType.incident;
  const state = useUnitForm({ unit: undefined, start: blankWorkUnit(first, tenantId) });
  const { form } = state;
  const [tab, choose] = useUnitTab();
  const faults = Object.keys(form.formState.errors).length;
  useUnsavedGuard(state.isDirty, 'workUnitId', state.dropDraft);

  const submit = form.handleSubmit(
    async (values) => {
      try {
        const created = await create.mutateAsync(values);
        tellOfRow(created, workUnitTexts.created);
        setAddress(
          (next) => {
            next.delete('type');
            next.delete('tab');
            next.set('workUnitId', String(created.workUnitId));
            return undefined;
          },
          { replace: true, saved: true },
        );
      } catch (error) {
        showFieldErrors(state, error);
        toastFailure(error, saveFailureText(error));
        choose('form');
      }
    },
    () => choose('form'),
  );

  return (
    <SidePanel
      title={workUnitTexts.createTitle}
      onClose={onClose}
      tabs={<UnitTabs value={tab} onChange={choose} />}
      footer={
        <>
          <Button look="primary" type="submit" form={state.id} disabled={create.isPending}>
            {create.isPending ? en.common.saving : en.common.create}
          </Button>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <span className="grow" />
          {faults > 0 && <span className="saved-line danger">{t.attention(faults)}</span>}
        </>
      }
    >
      <div className="body" {...tabPanelProps(tab)}>
        <form id={state.id} hidden={tab !== 'form'} noValidate onSubmit={(event) => void submit(event)}>
          <PlanCollisions state={state} />
          <FormFields state={state} />
        </form>
        {tab === 'protocols' && <EmptyState small title={t.protocols.none} icon="protocols" />}
        {tab === 'pending' && <EmptyState small title={t.pending.none} icon="actions" />}
        {tab === 'properties' && <Properties unit={undefined} />}
        {tab === 'related' && <EmptyState small title={workUnitTexts.nothingRelated} text={t.related.saved} />}
      </div>
    </SidePanel>
  );
}
