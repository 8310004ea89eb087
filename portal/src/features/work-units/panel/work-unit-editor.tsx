/**
 * An existing unit: what is going on, the timeline with the box for a note, and the form beside or below. The buttons of the form
 * are in the panel's footer.
 */
import { useEffect, useEffectEvent, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useWatch } from 'react-hook-form';
import { openStates, workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useMay } from '../../../api/lookups.ts';
import { LiveMatches } from '../../../entities/matches/live-matches.tsx';
import { FormFields } from '../../../forms/form-fields.tsx';
import { ChangePlan } from '../approvals/change-plan.tsx';
import { CallBacks } from '../../../entities/call-backs/call-backs.tsx';
import { AlsoNow } from '../situation/also-now.tsx';
import { Cause } from '../situation/cause.tsx';
import { UnitClocks } from '../clocks/unit-clocks.tsx';
import { UnitArticles } from '../related/unit-articles.tsx';
import { UnitLinks } from '../related/unit-links.tsx';
import { UnitMatches } from '../related/matches-of-unit.tsx';
import { ChangeReview } from '../changes/change-review.tsx';
import { PlanCollisions } from '../changes/plan-collisions.tsx';
import { Notified } from './notified.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { MergeNotice } from '../merge/merge-notice.tsx';
import { Feed } from '../feed/feed.tsx';
import { NoteBox, type Composer } from '../feed/note-box.tsx';
import { useReportEditing } from '../presence/use-presence.ts';
import { UnitFacts } from '../situation/unit-facts.tsx';
import { UnitWords } from '../situation/unit-words.tsx';
import { useUnitForm } from './use-unit-form.ts';
import { useWorkUnitEditing } from './use-work-unit-editing.ts';
import { WorkUnitFooter } from './work-unit-footer.tsx';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './in-place.css';

/** Warns about open matches of a unit that has ended, or that the form would end. */
function EndedTooEarly({ state, unit }: { state: ResourceFormState<typeof workUnits>; unit: PanelWorkUnit }) {
  const chosen = useWatch({ control: state.form.control, name: 'stateId' }) as string | undefined;
  const isEnded = !openStates.includes(unit.stateId);
  if (!isEnded && (chosen === undefined || openStates.some((open) => open === chosen))) return null;
  return unit.ruleId ? <LiveMatches workUnitIds={[unit.workUnitId]} areEnded={isEnded} /> : null;
}

interface WorkUnitEditorProps {
  unit: PanelWorkUnit;
  footer: HTMLElement | null;
  onClose: () => void;
  /** Called after a save that errors or a conflict prevented, to show the tab with the form. */
  onFault: () => void;
}

export function WorkUnitEditor({ unit, footer, onClose, onFault }: WorkUnitEditorProps) {
  const readOnly = !useMay()('WorkUnits', 'edit');
  const state = useUnitForm({ unit, readOnly });
  const editing = useWorkUnitEditing(unit, state);
  useReportEditing(unit.workUnitId, state.isDirty);
  const composer = useRef<Composer>(null);
  const { submitCount, errors } = state.form.formState;
  const afterSubmit = useEffectEvent(() => {
    if (editing.conflict || Object.keys(errors).length > 0) onFault();
  });
  useEffect(() => {
    if (submitCount > 0) afterSubmit();
  }, [submitCount]);
  const isChange = unit.workUnitTypeId === workUnitType.changeRequest;
  const fields = (
    <form
      id={state.id}
      className="unit-fields in-place"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        editing.submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        editing.submit();
      }}
    >
      <PlanCollisions state={state} workUnitId={unit.workUnitId} />
      {/* What was typed before the right to edit was taken away stays in its fields, to be copied. */}
      {readOnly && !state.isDirty ? <UnitFacts unit={unit} state={state} /> : <FormFields state={state} />}
    </form>
  );
  return (
    <div className={isChange ? 'unit-page change' : 'unit-page'}>
      <div className="unit-main">
        <ConflictNotice unit={unit} editing={editing} />
        <MergeNotice unit={unit} />
        <ChangePlan unit={unit} mayEdit={!readOnly} />
        {!isChange && !openStates.includes(unit.stateId) && <UnitWords title={workUnits.fields.resolution.label} text={unit.resolution} />}
        <UnitClocks unit={unit} />
        <CallBacks workUnitId={unit.workUnitId} />
        <Cause unit={unit} />
        {/* The description that a rule wrote says what the cause shows; that of a change is a part of its plan. */}
        {!isChange && !readOnly && !unit.ruleId && <UnitWords text={unit.description} />}
        <UnitArticles unit={unit} />
        <UnitLinks unit={unit} />
        <AlsoNow unit={unit} />
        <Notified unit={unit} />
        <UnitMatches unit={unit} />
        <EndedTooEarly state={state} unit={unit} />
        <ChangeReview unit={unit} />
        {/* The fields of a change are its plan, which is read first. */}
        {isChange && fields}
        <Feed unit={unit} composer={composer} />
        <NoteBox id={unit.workUnitId} composer={composer} />
      </div>
      {!isChange && fields}
      {footer && createPortal(<WorkUnitFooter unit={unit} state={state} editing={editing} onClose={onClose} />, footer)}
    </div>
  );
}
