import { useEffect, useMemo, useState, type FormEvent } from 'react';
import { Link } from 'react-router';
import { auditTexts } from '@cloudfit/contract/messages/audit.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocols as resource } from '@cloudfit/contract/resources/protocols.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { useMay } from '../../../api/lookups.ts';
import { CopyId } from '../../../components/chips.tsx';
import { FormFooter } from '../../../components/form-footer.tsx';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { SidePanel } from '../../../components/side-panel.tsx';
import { ImpactPanel } from '../../../entities/impact/impact-panel.tsx';
import { FormFields } from '../../../forms/form-fields.tsx';
import type { FormLayout, InputProps } from '../../../forms/form-types.ts';
import { inputs } from '../../../forms/inputs.tsx';
import { RowFacts } from '../../../forms/row-facts.tsx';
import { showFieldErrors, useResourceForm } from '../../../forms/use-resource-form.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { useHistory } from '../../../hooks/use-history.ts';
import { focusRow } from '../../../hooks/focus-row.ts';
import { usePanel } from '../../../hooks/use-panel.ts';
import { useUnsavedGuard } from '../../../hooks/use-unsaved-guard.ts';
import { ManagedNotice } from '../../../resource/managed-notice.tsx';
import { PanelTabs, tabPanelProps, usePanelTab } from '../../../resource/panel-tabs.tsx';
import type { PanelTab } from '../../../resource/view.ts';
import { labelOf } from '../../../rows/row.ts';
import { useScope } from '../../../rows/use-scope.ts';
import { AssignedRules } from '../assigned-rules.tsx';
import { nameOf as rowName, useActionChoices, type ProtocolAction } from '../use-protocol-actions.ts';
import { SaveRefused, useSaveProtocol } from './save-protocol.ts';
import { Simulator } from './simulator.tsx';
import { stepFields, stepProblems, type TimelineStep, type StepField, type StepProblems } from './steps.ts';
import { Timeline } from './timeline.tsx';
import { useSimulation } from './use-simulation.ts';
import { useSteps, type ProblemsOfSteps } from './use-steps.ts';

const t = protocolTexts;

export type ProtocolRow = ExpandedRow<typeof resource, 'tenant'>;

/** The tenant of a protocol. It is disabled for a saved protocol, whose tenant never changes. */
function TenantInput(props: InputProps) {
  return <inputs.lookup {...props} disabled={props.disabled || props.row !== undefined} />;
}

const followUps = ['unansweredAfter', 'repeatEvery', 'acknowledgedFor'] as const;

const isDuration = (value: unknown): boolean => typeof value === 'string' && /^\d{2,4}:[0-5]\d:[0-5]\d$/.test(value);

const layout: FormLayout<typeof resource> = {
  sections: [
    { fields: ['name'] },
    { title: t.sections.more, fields: ['description', 'timerInverval', 'tenantId'] },
    { title: t.sections.unanswered, fields: followUps },
    { title: t.sections.people, fields: ['manualActions'] },
  ],
  wide: ['name'],
  inputs: { tenantId: TenantInput },
  requiredTexts: { timerInverval: t.timerRequired },
};

const tabs: { form: string; others: readonly PanelTab<ProtocolRow>[] } = {
  form: t.timeline.tab,
  others: [{ id: 'rules', label: t.rules.tab, Body: AssignedRules }],
};

interface ProtocolEditorProps {
  row: ProtocolRow | undefined;
  rows: readonly ProtocolAction[];
  onClose: () => void;
}

/** The refused fields of the refused step; undefined unless the server names a step and a field of it. */
function refusalsOf(error: SaveRefused): ProblemsOfSteps | undefined {
  const placed = error.details.flatMap(({ target, message }) => {
    const field = [...stepFields, 'parameters' as const].find((name) => name === target?.split('.')[0]);
    return field && message ? [[field, message] as const] : [];
  });
  return error.step !== undefined && placed.length > 0 ? { [error.step]: Object.fromEntries(placed) } : undefined;
}

export function ProtocolEditor({ row, rows, onClose }: ProtocolEditorProps) {
  const may = useMay();
  const scope = useScope();
  const { close } = usePanel();
  const id = row?.protocolId;
  const history = useHistory(resource.name, id);
  const readOnly = !may(resource.area, row ? 'edit' : 'create');
  const state = useResourceForm({
    resource,
    mode: row ? 'edit' : 'create',
    row,
    layout,
    readOnly,
    start: row ? undefined : { tenantId: scope.tenantId },
  });
  const [typedTenant, timer, ...times] = state.form.watch(['tenantId', 'timerInverval', ...followUps]);
  const tenantId = row ? row.tenantId : typeof typedTenant === 'string' && typedTenant !== '' ? typedTenant : null;
  const choices = useActionChoices(tenantId, !readOnly);
  const definitions = useMemo(
    () =>
      new Map([
        ...rows.flatMap(({ actionDefinition: one }) => (one ? [[one.actionDefinitionId, one] as const] : [])),
        ...(choices.data ?? []).map((definition) => [definition.actionDefinitionId, definition] as const),
      ]),
    [choices.data, rows],
  );
  const steps = useSteps(id ?? 'new', rows, definitions);
  const save = useSaveProtocol();
  const [isTried, setIsTried] = useState(false);
  /** How many times errors prevented a save. Each time moves the focus to the first error. */
  const [shown, setShown] = useState(0);
  const [refused, setRefused] = useState<{ typed: string; problems: ProblemsOfSteps }>();
  const [tab, choose] = usePanelTab(row ? tabs.others : undefined);
  const isDirty = state.isDirty || steps.isDirty;
  useUnsavedGuard(isDirty, 'id', () => {
    state.dropDraft();
    steps.dropDraft();
  });

  const stepIssues = Object.fromEntries(steps.steps.map((step) => [step.key, stepProblems(step, definitions)] as const));
  const faultyKeys = steps.steps.filter(({ key }) => Object.keys(stepIssues[key] ?? {}).length > 0).map(({ key }) => key);
  const isTimerRight = typeof timer === 'string' && /^\d{2}:[0-5]\d:[0-5]\d$/.test(timer) && timer >= '00:10:00';
  const simulation = useSimulation({
    protocolId: id,
    tenantId,
    timerInverval: isTimerRight ? timer : '00:10:00',
    followUps: Object.fromEntries(followUps.flatMap((name, at) => (isDuration(times[at]) ? [[name, times[at]]] : []))),
    steps: steps.steps,
    definitions,
    isSaved: row !== undefined && !isDirty,
    isHeld: steps.steps.some(({ key, removed, values }) => !removed && values.actionDefinitionId !== '' && isWrongInTime(stepIssues[key])),
  });
  // A refusal no longer applies once a step is changed.
  const typed = JSON.stringify(steps.steps);
  const refusals = refused?.typed === typed ? refused.problems : {};
  const problems: ProblemsOfSteps = Object.fromEntries(
    steps.steps.map(({ key }) => [key, { ...refusals[key], ...(isTried ? stepIssues[key] : onlyTimes(stepIssues[key])) }]),
  );

  const nameOf = ({ key, values }: TimelineStep): string => {
    const summary = typeof values.summary === 'string' ? values.summary.trim() : '';
    if (summary !== '') return summary;
    const saved = rows.find((row) => row.protocolActionId === key);
    return definitions.get(String(values.actionDefinitionId))?.name ?? (saved ? rowName(saved) : t.timeline.unnamed);
  };

  const showFirstProblem = (keys: readonly string[]) => {
    steps.openAll(keys);
    choose();
    setShown((now) => now + 1);
  };
  // Runs after the steps with errors were opened: focuses the first error.
  useEffect(() => {
    if (shown > 0) document.getElementById(state.id)?.querySelector<HTMLElement>('[aria-invalid="true"], .step.wrong input')?.focus();
  }, [shown, state.id]);

  const mayDelete = async () => {
    const removed = steps.steps.filter((step) => step.removed && !step.isNew);
    if (removed.length === 0) return true;
    const names = removed.map(nameOf).join(', ');
    return (
      await confirm({
        title: en.form.deleteTitle(protocolActions.label),
        text: t.timeline.deleteQuestion(names),
        yes: en.common.delete,
        no: en.common.cancel,
        danger: true,
      })
    ).yes;
  };

  const submit = state.form.handleSubmit(
    async (values) => {
      if (faultyKeys.length > 0) return showFirstProblem(faultyKeys);
      if (!(await mayDelete())) return;
      setRefused(undefined);
      try {
        const created = await save.mutateAsync({ protocolId: id, protocol: state.changed(values), ...steps.changes });
        tellOfRow({ tenantId }, (row ? en.form.saved : en.form.created)(resource.label));
        close({ saved: true });
        if (!row && created) focusRow(created);
      } catch (error) {
        const problemsOfServer = error instanceof SaveRefused ? refusalsOf(error) : undefined;
        if (problemsOfServer) {
          setRefused({ typed, problems: problemsOfServer });
          showFirstProblem(Object.keys(problemsOfServer));
        } else if (error instanceof SaveRefused && error.step === undefined && showFieldErrors(state, error)) choose();
        else toastFailure(error, t.saveFailed);
      }
    },
    () => {
      steps.openAll(faultyKeys);
      choose();
    },
  );
  const onSubmit = (event: FormEvent) => {
    setIsTried(true);
    void submit(event);
  };

  const [top, ...rest] = state.sections;
  const isNew = row === undefined;
  useEffect(() => {
    // In a microtask, because the panel around this form first takes the focus itself.
    if (isNew) queueMicrotask(() => document.getElementById(state.id)?.querySelector('input')?.focus({ preventScroll: true }));
  }, [isNew, state.id]);
  const title = row ? (readOnly ? en.form.viewTitle : en.form.editTitle)(resource.label, row.name) : en.form.createTitle(resource.label);
  const restored = state.restored;
  return (
    <SidePanel
      wide
      title={title}
      onClose={onClose}
      meta={
        row && (
          <>
            <CopyId id={row.protocolId} label={labelOf(resource)} />
            {history && <Link to={history.to}>{auditTexts.history}</Link>}
          </>
        )
      }
      tabs={row && <PanelTabs tabs={tabs} label={resource.label} value={tab?.id} onChange={choose} />}
      footer={
        <FormFooter
          formId={state.id}
          isNew={row === undefined}
          isDirty={isDirty}
          isSaving={save.isPending}
          readOnly={readOnly}
          savedAt={row?.modified}
          onClose={onClose}
        />
      }
    >
      <div className="body protocol-editor" hidden={tab !== undefined} {...(row && !tab ? tabPanelProps() : {})}>
        <form id={state.id} noValidate onSubmit={onSubmit}>
          {row && <ManagedNotice resource={resource.name} id={row.protocolId} />}
          {row && isDirty && <ImpactPanel entity="protocols" id={row.protocolId} change="update" />}
          <FormFields state={{ ...state, sections: top ? [top] : [], restored }} />
          <section className="form-section" aria-label={t.timeline.title}>
            <h3>{t.timeline.title}</h3>
            <Timeline
              state={steps}
              nameOf={nameOf}
              knownActionOf={({ key }) => rows.find((row) => row.protocolActionId === key)?.actionDefinition?.name}
              definitions={definitions}
              tenantId={tenantId}
              readOnly={readOnly}
              mayCreate={!readOnly && may(protocolActions.area, 'create')}
              mayDelete={may(protocolActions.area, 'delete')}
              problems={problems}
              warnings={simulation.warnings}
            />
          </section>
          <FormFields state={{ ...state, sections: rest, restored: undefined }} />
          {row && <RowFacts resource={resource} row={row} />}
        </form>
        <Simulator {...simulation} />
      </div>
      {row && tab && (
        <div className="body" {...tabPanelProps(tab)}>
          <tab.Body row={row} />
        </div>
      )}
    </SidePanel>
  );
}

const timeFields: readonly StepField[] = ['wait', 'repeatEvery', 'repeatTimes', 'lateAfter'];

/** Returns the problems of time fields. They show while a person types, because they prevent a simulation. */
function onlyTimes(problems: StepProblems = {}): StepProblems {
  return Object.fromEntries(Object.entries(problems).filter(([name]) => timeFields.some((field) => field === name)));
}

function isWrongInTime(problems: StepProblems | undefined): boolean {
  return Object.keys(onlyTimes(problems)).length > 0;
}
