/** The list of conditions as it is worked on: after each step the keyboard stands where the next one is likely. */
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { blankCondition, movedCondition, withCondition, withoutCondition, type ConditionDraft } from '../rule-draft.ts';
import type { RuleEditing } from '../use-rule-editing.ts';

const t = ruleEditorTexts.conditions;

export interface ConditionList {
  change: (condition: ConditionDraft) => void;
  /** Adds a line after another; without one, at the end. */
  add: (type: ConditionDraft['Type'], after?: ConditionDraft) => void;
  remove: (condition: ConditionDraft) => void;
  move: (condition: ConditionDraft, by: -1 | 1) => void;
  /** What was done, read aloud. */
  said: string;
}

export function useConditionList({ values, change, formId }: RuleEditing): ConditionList {
  const [said, setSaid] = useState('');
  const [goal, setGoal] = useState<{ key: number; keep: boolean }>();
  // Lines are not drawn again for each other's changes, so what they call must see the list as it is now.
  const latest = useRef(values.conditions);
  useLayoutEffect(() => {
    latest.current = values.conditions;
  }, [values.conditions]);

  useEffect(() => {
    if (!goal) return;
    const form = document.getElementById(formId);
    const line = form?.querySelector(`[data-condition="${goal.key}"]`);
    // Who moves a line stays in the control that has the focus.
    if (goal.keep && line?.contains(document.activeElement)) return;
    (line ?? form)?.querySelector<HTMLElement>(line ? 'input, select' : '[data-add-condition]')?.focus();
  }, [goal, formId]);

  return {
    said,
    change: (condition) => change({ conditions: latest.current.map((one) => (one.key === condition.key ? condition : one)) }),
    add: (type, after) => {
      const conditions = latest.current;
      const added = blankCondition(type);
      const at = after ? conditions.findIndex((one) => one.key === after.key) + 1 : conditions.length;
      change({ conditions: withCondition(conditions, at, added) });
      setSaid(t.added(at + 1, conditions.length + 1));
      setGoal({ key: added.key, keep: false });
    },
    remove: (condition) => {
      const conditions = latest.current;
      const at = conditions.findIndex((one) => one.key === condition.key);
      change({ conditions: withoutCondition(conditions, condition.key) });
      setSaid(t.removed);
      setGoal({ key: (conditions[at + 1] ?? conditions[at - 1])?.key ?? 0, keep: false });
    },
    move: (condition, by) => {
      const conditions = latest.current;
      const moved = movedCondition(conditions, condition.key, by);
      if (moved === conditions) return;
      change({ conditions: moved });
      setSaid(t.moved(moved.findIndex((one) => one.key === condition.key) + 1, conditions.length));
      setGoal({ key: condition.key, keep: true });
    },
  };
}

/** Alt with an arrow moves a line, with Enter adds one after it (with Shift a new box), with Delete removes it. Not with Backspace, which takes a word away on some keyboards. */
export function lineKeys(event: KeyboardEvent, condition: ConditionDraft, list: ConditionList): void {
  if (!event.altKey) return;
  const act = {
    ArrowUp: () => list.move(condition, -1),
    ArrowDown: () => list.move(condition, 1),
    Enter: () => list.add(event.shiftKey ? 'Or' : 'And', condition),
    Delete: () => list.remove(condition),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
