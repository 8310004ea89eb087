/** Edits a rule: values, problems per field, and saving. */
import { useEffect, useId, useMemo, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleActionTexts } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { operatorFormOf } from '@cloudfit/contract/rules/operator-forms.ts';
import { RequestFailed } from '../../../api/client.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { focusRow } from '../../../hooks/focus-row.ts';
import { useDraft } from '../../../drafts/use-draft.ts';
import { usePanel } from '../../../hooks/use-panel.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { useSave } from '../../../rows/use-rows.ts';
import { useUnsavedGuard } from '../../../hooks/use-unsaved-guard.ts';
import type { Rule } from '../use-rules.ts';
import { collisionsOf, followed, isFollowedDraft, settled, type FollowedDraft } from './follow-row.ts';
import { changedFields, valuesOf, wireOf, withNewKeys, type RuleValues } from './rule-draft.ts';
import { fieldOf, problemsOf, ruleTabs, tabOf, type Problems, type RuleTab } from './rule-form-problems.ts';
import { usePatternProblem } from './use-pattern-problem.ts';
import { useRuleTab } from './use-rule-tab.ts';

const nothing: Problems = new Map();
/** Fields that affect the evaluation of packets. */
const ofPackets = new Set(['ruleTypeId', 'tenantId', 'tenantGroupId', 'subscriptionId', 'timeConditions', 'conditions']);

function refusedPlaces(error: unknown): Problems {
  const details = error instanceof RequestFailed ? error.details : [];
  return new Map(details.flatMap(({ target, message }) => (target && message ? [[target, message]] : [])));
}

export interface RuleEditing {
  formId: string;
  values: RuleValues;
  /** Changes fields and drops the server's messages about them. */
  change: (part: Partial<RuleValues>) => void;
  /** Marks a field as visited, so that its problem shows. */
  touch: (target: string) => void;
  /** The problem to show at a field. */
  problemAt: (target: string) => string | undefined;
  /** The number of problems that a tab shows. */
  problemsIn: (tab: RuleTab) => number;
  readOnly: boolean;
}

/** `row` is the rule as it is saved; undefined while it is being created from `start`. */
export function useRuleEditing(row: Rule | undefined, start: RuleValues, readOnly: boolean, isCopy: boolean) {
  const formId = useId();
  const [tab, choose] = useRuleTab();
  const [draft, setDraft] = useState<FollowedDraft>(() => ({ values: start, base: start }));
  const [baseRow, setBaseRow] = useState(row);
  const [tried, setTried] = useState(0);
  const [checked, setChecked] = useState(0);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Problems>(nothing);
  const { values, base } = draft;
  const saved = useMemo(() => row && valuesOf(row), [row]);
  if (row && saved && row !== baseRow) {
    setBaseRow(row);
    setDraft(followed(draft, saved));
  }
  const changed = useMemo(() => changedFields(values, base), [values, base]);
  const collisions = useMemo(() => (saved ? collisionsOf(draft, saved) : []), [draft, saved]);
  const usesPattern = [...values.conditions, ...values.recoveryConditions].some(
    (condition) => operatorFormOf(condition.Operator ?? 0)?.right === 'pattern',
  );
  const patternProblem = usePatternProblem(usesPattern);
  const problems = useMemo(() => problemsOf(values, patternProblem), [values, patternProblem]);
  const { close } = usePanel();
  const save = useSave(rules);
  const dropDraft = useDraft({
    name: row ? `rules.${row.ruleId}` : `rules.new.${start.tenantId ?? ''}.${isCopy ? start.name : ''}`,
    typed: changed.length > 0 ? draft : undefined,
    isTyped: isFollowedDraft,
    restore: (typed) => {
      const renewed = { values: withNewKeys(typed.values), base: typed.base };
      setDraft(saved ? followed(renewed, saved) : renewed);
    },
  });
  useUnsavedGuard(changed.length > 0, 'id', dropDraft);

  const problemAt = (target: string) => {
    const problem = tried > 0 || touched.has(target) ? problems.get(target) : undefined;
    return problem ?? refused.get(target);
  };
  const shown = [...new Set([...problems.keys(), ...refused.keys()])].filter((target) => problemAt(target) !== undefined);

  useEffect(() => {
    if (tried + checked > 0) document.getElementById(formId)?.querySelector<HTMLElement>('[role=tabpanel] [aria-invalid="true"]')?.focus();
  }, [tried, checked, formId]);

  const showProblems = (allProblems: Problems) => {
    const faultyTabs = ruleTabs.filter((ruleTab) => [...allProblems.keys()].some((target) => tabOf(target) === ruleTab));
    const first = faultyTabs.includes(tab) ? tab : faultyTabs[0];
    if (first) choose(first);
  };
  /**
   * Returns the rule to send, or the changed fields of a saved rule. Undefined if it is read-only, invalid or in conflict; then
   * the problems show.
   */
  const toSend = (): Record<string, unknown> | undefined => {
    if (!readOnly && problems.size > 0) showProblems(problems);
    setTried((n) => n + 1);
    if (readOnly || problems.size > 0 || collisions.length > 0) return undefined;
    const wire = wireOf(values);
    return row ? Object.fromEntries(changed.map((name) => [name, wire[name]])) : wire;
  };
  /** Whether a tab has no errors. If it has, they are shown and the first such field gets the focus. */
  const isTabRight = (ruleTab: RuleTab): boolean => {
    const targets = [...problems.keys()].filter((target) => tabOf(target) === ruleTab);
    if (targets.length === 0) return true;
    setTouched((now) => new Set([...now, ...targets]));
    setChecked((n) => n + 1);
    return false;
  };
  const showRefused = (places: Problems) => {
    setRefused(places);
    showProblems(places);
    setTried((n) => n + 1);
  };
  const submit = async () => {
    const sent = toSend();
    if (!sent) return;
    try {
      const created = await save.mutateAsync({ id: row?.ruleId, values: sent });
      tellOfRow(created, isCopy ? ruleActionTexts.copied(created.name) : (row ? en.form.saved : en.form.created)(rules.label));
      close({ saved: true });
      if (!row) focusRow(created.ruleId);
    } catch (error) {
      const places = refusedPlaces(error);
      showRefused(places);
      // An error that is shown at its field is not repeated.
      const isShown = places.size > 0 && [...places.keys()].every((target) => Object.hasOwn(values, fieldOf(target)));
      if (!isShown) toastFailure(error, en.rules.saveFailed);
    }
  };

  const editing: RuleEditing = {
    formId,
    values,
    change: (part) => {
      setDraft((now) => ({ ...now, values: { ...now.values, ...part } }));
      setRefused((now) => (now.size === 0 ? now : new Map([...now].filter(([target]) => !(fieldOf(target) in part)))));
    },
    touch: (target) => setTouched((now) => (now.has(target) ? now : new Set([...now, target]))),
    problemAt,
    problemsIn: (item) => shown.filter((target) => tabOf(target) === item).length,
    readOnly,
  };
  return {
    editing,
    tab,
    choose,
    isDirty: changed.length > 0,
    isWrong: problems.size > 0,
    /** Whether a field that affects the evaluation of packets is invalid, whatever the other fields are. */
    isConditionWrong: [...problems.keys()].some((target) => ofPackets.has(fieldOf(target))),
    isSaving: save.isPending,
    submit,
    toSend,
    isTabRight,
    /** Shows the errors of a rule that the server refused as a part of another request. */
    showRefusedPart: (error: unknown) =>
      showRefused(new Map([...refusedPlaces(error)].map(([target, message]) => [target.replace(/^rule\./, ''), message]))),
    collisions,
    /** Whether the person tried to save before choosing between the conflicting values. */
    mustSettle: tried > 0 && collisions.length > 0,
    settle: (name: keyof RuleValues, whose: 'mine' | 'theirs') => {
      if (saved) setDraft((now) => settled(now, saved, name, whose));
    },
  };
}
