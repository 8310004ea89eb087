/** Creates or edits a rule: details, conditions, actions, and above them the rule in one sentence (RULE-010). */
import { useEffect, useMemo, useState, type KeyboardEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleEditorTexts as t } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { ruleExceptionTexts as exceptionTexts } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleRingTexts as rollOutTexts } from '@cloudfit/contract/messages/rule-rings.en.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { idleProtocol } from '@cloudfit/contract/protocols/idle-protocol.ts';
import { useMay, useMayEverywhere, useSubscriptions, useTenants } from '../../../api/lookups.ts';
import { whenIdle } from '../../../api/when-idle.ts';
import { Button } from '../../../components/button.tsx';
import { Chip, CopyId } from '../../../components/chips.tsx';
import { FormFooter } from '../../../components/form-footer.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { SidePanel } from '../../../components/side-panel.tsx';
import { ManagedNotice } from '../../../resource/managed-notice.tsx';
import { TabPart, Tabs } from '../../../components/tabs.tsx';
import { ImpactPanel } from '../../../entities/impact/impact-panel-lazy.tsx';
import { newId } from '../../../hooks/use-panel.ts';
import { useScope } from '../../../rows/use-scope.ts';
import { useExceptions } from '../exceptions/use-exceptions.ts';
import type { ExceptionTableProps } from '../exceptions/exception-table.tsx';
import type { Rule } from '../use-rules.ts';
import { ActionsTab } from './actions-tab.tsx';
import { ConditionsTab } from './conditions/conditions-tab.tsx';
import { Conflict } from './conflict.tsx';
import { DetailsTab } from './details-tab.tsx';
import { RunningRollout, useRollout } from './running-rollout.tsx';
import { atTenant, historyType, ingestionType, type RuleValues } from './rule-draft.ts';
import { ruleTabs } from './rule-form-problems.ts';
import { sentenceOf, type Names } from './rule-words.ts';
import type { BacktestPanelProps } from './backtest/backtest-panel.tsx';
import { draftOf, useBacktestParam } from './backtest/use-backtest.ts';
import { useActionChoices } from './use-action-choices.ts';
import { useConditionList } from './conditions/use-condition-list.ts';
import { useInputOptions } from './conditions/use-input-options.ts';
import { useReadings } from '../../../entities/packets/use-readings.ts';
import { ofGroup, useTenantGroups } from './tenant-field.tsx';
import { useTestCase } from './use-test-case.ts';
import type { TestCaseProps } from './test-case.tsx';
import { useRuleEditing } from './use-rule-editing.ts';
import { MatchingNow } from './matching-now.tsx';
import './rule-editor.css';

const backtestPanel = onDemand<BacktestPanelProps>(() => import('./backtest/backtest-panel.tsx').then((module) => module.BacktestPanel));
const { Component: TestCase } = onDemand<TestCaseProps>(() => import('./test-case.tsx').then((module) => module.TestCase));
const { Component: ExceptionTable } = onDemand<ExceptionTableProps>(() =>
  import('../exceptions/exception-table.tsx').then((module) => module.ExceptionTable),
);
const { Component: RollOut } = onDemand(() => import('./roll-out.tsx').then((module) => module.RollOut));

const idBase = 'rule';

const nextTab = { details: 'conditions', conditions: 'actions' } as const;

/** Whether Enter was pressed in a field of one line. An input with a role, such as a combo box, handles Enter itself. */
const isEnterInLine = ({ key, target, defaultPrevented }: KeyboardEvent): boolean =>
  key === 'Enter' && !defaultPrevented && target instanceof HTMLInputElement && target.getAttribute('role') === null;

/** Opens the next tab, for a person who fills in a new rule from the first tab to the last. */
function Next({ from, onNext }: { from: keyof typeof nextTab; onNext: () => void }) {
  return (
    <Button trailing="right" onClick={onNext}>
      {t.next(t.tabs[nextTab[from]])}
    </Button>
  );
}

interface RuleEditorProps {
  /** The rule as it is saved; undefined while it is being created. */
  row: Rule | undefined;
  start: RuleValues;
  /** The name of the rule that `start` was copied from. */
  copyOf?: string | undefined;
  onClose: () => void;
}

export function RuleEditor({ row, start, copyOf, onClose }: RuleEditorProps) {
  const may = useMay();
  const rollout = useRollout(row?.ruleId);
  const mayForAll = useMayEverywhere('Rules', 'edit');
  const isOfMany = row?.tenantId === null;
  const isOfOthers = isOfMany && mayForAll === false;
  const readOnly = !may('Rules', row ? 'edit' : 'create') || rollout !== undefined || (isOfMany && !mayForAll);
  const scope = useScope();
  const [first] = useState(start);
  const [areShown, setShown] = useState(false);
  const {
    editing,
    tab,
    choose,
    isDirty,
    isWrong,
    isConditionWrong,
    isSaving,
    submit,
    toSend,
    isTabRight,
    showRefusedPart,
    collisions,
    mustSettle,
    settle,
  } = useRuleEditing(row, first, readOnly, copyOf !== undefined);
  const { values, formId, problemsIn } = editing;
  const list = useConditionList(editing);
  const optionsOf = useInputOptions(
    scope.tenantId,
    values.tenantId,
    values.conditions.map((condition) => condition.LeftOperand),
  );
  const readings = useReadings(values.tenantId ?? scope.tenantId);
  const actions = useActionChoices(values.tenantId);
  const { data: subscriptions } = useSubscriptions();
  const { data: tenants } = useTenants();
  const groups = useTenantGroups();
  const isForMany = values.tenantId === null;
  const { tenantGroupId } = values;
  const ofRow = row?.tenantGroupId === tenantGroupId ? row?.tenantGroup?.name : undefined;
  const groupName = ofRow ?? groups.find(({ value }) => value === `${ofGroup}${tenantGroupId}`)?.label;
  const inGroup = groupName === undefined ? exceptionTexts.ofSome : exceptionTexts.ofGroup(groupName);
  const tenantsText = tenantGroupId === null ? exceptionTexts.allTenants : inGroup;
  const isNew = row === undefined;
  const idle = idleProtocol(values);
  useEffect(() => {
    // The panel takes the focus when it opens; for a new rule the focus moves on to its name.
    if (isNew) document.getElementById(formId)?.querySelector<HTMLElement>('[role=tabpanel] [aria-required]')?.focus();
  }, [isNew, formId]);
  const goOn = () => {
    if (tab === 'actions' || !isTabRight(tab)) return;
    const to = nextTab[tab];
    choose(to);
    const panel = document.getElementById(formId)?.querySelector('[role=tabpanel]');
    [...(panel?.querySelectorAll<HTMLElement>('[data-condition] .condition-what input, [data-add-action]') ?? [])]
      .at(to === 'actions' ? 0 : -1)
      ?.focus();
  };
  const backtest = useBacktestParam();
  const moment = useTestCase();
  // Loads the backtest panel while the open editor is idle.
  useEffect(() => void whenIdle().then(backtestPanel.load), []);
  const comparable = row && row.ruleTypeId === values.ruleTypeId && [values.tenantId, null].includes(row.tenantId);
  // A rule of several tenants is tried at the chosen one.
  const exceptions = useExceptions(row?.ruleId, row?.tenantId === null ? scope.tenantId : null);
  const exception = exceptions?.ofTenant;
  const tried = useMemo(() => atTenant(values, scope.tenantId), [values, scope.tenantId]);
  const chosen = values.tenantId === null ? tenants?.find(({ tenantId }) => tenantId === tried.tenantId)?.name : undefined;
  const triedAt = chosen !== undefined && exception && !exception.isOff ? exceptionTexts.withOwn(chosen) : chosen;
  const sentence = useMemo(() => {
    const names: Names = {
      option: (operand, id) => optionsOf(operand).choices.find((choice) => choice.value === id)?.label,
      action: (id) => actions.choices.find((action) => action.actionDefinitionId === id)?.name,
      subscription: (id) => subscriptions?.find((subscription) => subscription.subscriptionId === id)?.name,
    };
    return sentenceOf(values, names);
  }, [values, optionsOf, actions.choices, subscriptions]);
  const title = row ? (readOnly ? en.form.viewTitle : en.form.editTitle)(rules.label, row.name) : en.form.createTitle(rules.label);
  const [sent, setSent] = useState<Record<string, unknown>>();
  const looksAtPackets = values.ruleTypeId === ingestionType || values.ruleTypeId === historyType;
  const mayRollOut = !readOnly && may('Devices', 'edit') && looksAtPackets && values.tenantId !== null;
  return (
    <>
      <SidePanel
        wide
        title={title}
        onClose={onClose}
        meta={
          row && (
            <>
              <Chip tone={row.enabled ? 'ok' : 'plain'} dot>
                {row.enabled ? t.enabled : t.disabled}
              </Chip>
              <CopyId id={row.ruleId} label={rules.fields.ruleId.label} />
            </>
          )
        }
        tabs={
          <Tabs
            idBase={idBase}
            label={t.tabsLabel}
            value={tab}
            onChange={choose}
            items={ruleTabs.map((id) => ({
              id,
              label: t.tabs[id],
              problems: { count: problemsIn(id), label: t.problems(problemsIn(id)) },
            }))}
          />
        }
        footer={
          <FormFooter
            formId={formId}
            isNew={row === undefined}
            isDirty={isDirty}
            isSaving={isSaving}
            readOnly={readOnly}
            {...(rollout ? { reason: rollOutTexts.short } : {})}
            savedAt={row?.modified}
            onClose={onClose}
          >
            <Button onClick={() => (isWrong && !readOnly ? toSend() : backtest.show(newId))}>{t.backtest}</Button>
            {mayRollOut && (
              <Button aria-haspopup="dialog" disabled={!isNew && !isDirty} onClick={() => setSent(toSend())}>
                {rollOutTexts.open}
              </Button>
            )}
          </FormFooter>
        }
      >
        {row && <ManagedNotice resource={rules.name} id={row.ruleId} />}
        <form
          id={formId}
          className="rule-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            if (!(event.ctrlKey || event.metaKey)) {
              // The browser would submit the form, although the person has not seen its next tabs yet.
              if (!isNew || tab === 'actions' || event.altKey || !isEnterInLine(event)) return;
              event.preventDefault();
              goOn();
              return;
            }
            event.preventDefault();
            // Leaving the field first applies text that is still being typed.
            if (event.target instanceof HTMLElement) event.target.blur();
            setTimeout(() => (document.getElementById(formId) as HTMLFormElement | null)?.requestSubmit());
          }}
        >
          <section className="rule-words" aria-label={t.words} tabIndex={0}>
            <p>
              {sentence}
              {isForMany && ` ${exceptionTexts.holdsFor(tenantsText, exceptions?.off ?? '')}`}
              {exceptions &&
                exceptions.named.places.length > 0 &&
                ` ${exceptionTexts.named(exceptions.named.places, exceptions.named.more)}`}
            </p>
            {looksAtPackets && (
              <MatchingNow
                values={tried}
                ruleId={comparable ? row.ruleId : undefined}
                at={triedAt}
                tenantGroupId={tenantGroupId}
                isWrong={isConditionWrong}
                isNew={isNew && copyOf === undefined}
                onGroupBy={readOnly ? undefined : (groupBy) => editing.change({ groupBy })}
              />
            )}
            {row?.evaluationFailure && <p className="notice error">{t.failing(row.evaluationFailure)}</p>}
            {idle && <p className="notice warning">{idle}</p>}
            {chosen !== undefined && exception?.isOff && <p className="notice">{exceptionTexts.offHere(chosen)}</p>}
            {isOfOthers && <p className="notice">{t.ofMany}</p>}
            {rollout && <RunningRollout campaign={rollout} />}
            {copyOf !== undefined && <p className="notice">{t.copying(copyOf)}</p>}
            <Conflict names={collisions} urgent={mustSettle} onSettle={settle} />
          </section>
          {row && exceptions && (
            <details className="rule-exceptions-fold" onToggle={(event) => setShown(event.currentTarget.open)}>
              <summary>{exceptionTexts.ofRule(exceptions.count)}</summary>
              {areShown && <ExceptionTable rule={row} />}
            </details>
          )}
          {moment && (
            <TestCase values={tried} isWrong={isWrong} ruleId={row?.ruleId} tryOf={comparable ? row.ruleId : undefined} moment={moment} />
          )}
          {row && isDirty && !isWrong && (
            <ImpactPanel entity="rules" id={row.ruleId} draft={{ rule: draftOf(values), enabled: values.enabled }} />
          )}
          <TabPart idBase={idBase} id="details" tab={tab}>
            <DetailsTab editing={editing} row={row} />
            {!row && <Next from="details" onNext={goOn} />}
          </TabPart>
          <TabPart idBase={idBase} id="conditions" tab={tab}>
            <ConditionsTab editing={editing} list={list} optionsOf={optionsOf} readings={readings} ruleId={row?.ruleId} />
            {!row && <Next from="conditions" onNext={goOn} />}
          </TabPart>
          <TabPart idBase={idBase} id="actions" tab={tab}>
            <ActionsTab editing={editing} actions={actions} ruleId={row?.ruleId} />
          </TabPart>
        </form>
      </SidePanel>
      {sent && values.tenantId && (
        <RollOut
          ruleId={row?.ruleId}
          values={{ ...values, tenantId: values.tenantId }}
          sent={sent}
          onRefused={showRefusedPart}
          onClose={() => setSent(undefined)}
        />
      )}
      {backtest.id !== null && (
        <backtestPanel.Component
          id={backtest.id}
          values={tried}
          many={chosen === undefined ? undefined : { tenantGroupId, at: triedAt ?? chosen }}
          ruleId={comparable ? row.ruleId : undefined}
          isWrong={isWrong}
          onShow={backtest.show}
          onClose={() => backtest.show(null)}
        />
      )}
    </>
  );
}
