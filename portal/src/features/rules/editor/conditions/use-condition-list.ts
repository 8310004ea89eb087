/** Edits the list of conditions. After each edit the focus moves to the most likely next control. */
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { blankCondition, movedCondition, withCondition, withoutCondition, type ConditionDraft } from '../rule-draft.ts';
import type { RuleEditing } from '../use-rule-editing.ts';

const t = ruleEditorTexts.conditions;

export interface ConditionList {
  change: (condition: ConditionDraft) => void;
  /** Adds a line after the condition `after`; without it, at the end. */
  add: (type: ConditionDraft['Type'], after?: ConditionDraft) => void;
  remove: (condition: ConditionDraft) => void;
  move: (condition: ConditionDraft, by: -1 | 1) => void;
  /** The last edit, for screen readers. */
  announcement: string;
}

export function useConditionList({ values, change, formId }: RuleEditing): ConditionList {
  const [announcement, setAnnouncement] = useState('');
  const [goal, setGoal] = useState<{ key: number; keep: boolean }>();
  // A line does not re-render when another line changes, so its callbacks must read the current list.
  const latest = useRef(values.conditions);
  useLayoutEffect(() => {
    latest.current = values.conditions;
  }, [values.conditions]);

  useEffect(() => {
    if (!goal) return;
    const form = document.getElementById(formId);
    const line = form?.querySelector(`[data-condition="${goal.key}"]`);
    // Moving a line keeps the focus in its control.
    if (goal.keep && line?.contains(document.activeElement)) return;
    (line ?? form)?.querySelector<HTMLElement>(line ? 'input, select' : '[data-add-condition]')?.focus();
  }, [goal, formId]);

  return {
    announcement,
    change: (condition) => change({ conditions: latest.current.map((item) => (item.key === condition.key ? condition : item)) }),
    add: (type, after) => {
      const conditions = latest.current;
      const added = blankCondition(type);
      const at = after ? conditions.findIndex((condition) => condition.key === after.key) + 1 : conditions.length;
      change({ conditions: withCondition(conditions, at, added) });
      setAnnouncement(t.added(at + 1, conditions.length + 1));
      setGoal({ key: added.key, keep: false });
    },
    remove: (condition) => {
      const conditions = latest.current;
      const at = conditions.findIndex((candidate) => candidate.key === condition.key);
      change({ conditions: withoutCondition(conditions, condition.key) });
      setAnnouncement(t.removed);
      setGoal({ key: (conditions[at + 1] ?? conditions[at - 1])?.key ?? 0, keep: false });
    },
    move: (condition, by) => {
      const conditions = latest.current;
      const moved = movedCondition(conditions, condition.key, by);
      if (moved === conditions) return;
      change({ conditions: moved });
      setAnnouncement(t.moved(moved.findIndex((candidate) => candidate.key === condition.key) + 1, conditions.length));
      setGoal({ key: condition.key, keep: true });
    },
  };
}

/**
 * Handles the keys of a line: Alt with an arrow moves it, Alt+Enter adds a line after it by And (with Shift by Or), Alt+Delete
 * removes it. Alt+Backspace does nothing, because it deletes a word on some keyboards.
 */
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
