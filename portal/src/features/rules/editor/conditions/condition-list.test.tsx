import { act, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { useState, type KeyboardEvent } from 'react';
import { expect, it, vi } from 'vitest';
import { blankCondition, startValues, type ConditionDraft, type RuleValues } from '../rule-draft.ts';
import type { RuleEditing } from '../use-rule-editing.ts';
import { SpanInput } from './span-input.tsx';
import { lineKeys, useConditionList, type ConditionList } from './use-condition-list.ts';

/** Conditions with these names of fields; one that begins with `|` is an alternative to those before it. */
const conditionsOf = (...names: string[]): ConditionDraft[] =>
  names.map((name) => ({ ...blankCondition(name.startsWith('|') ? 'Or' : 'And'), LeftOperandFieldName: name.replace('|', '') }));
const namesOf = (conditions: readonly ConditionDraft[]) =>
  conditions.map(({ Type, LeftOperandFieldName }) => `${Type === 'Or' ? '|' : ''}${LeftOperandFieldName}`);

/** The list of conditions of a form whose lines are on the page. */
function listOf(...names: string[]) {
  document.body.innerHTML = '<form id="form"><button data-add-condition>Add</button></form>';
  const form = document.getElementById('form') as HTMLFormElement;
  const show = (conditions: readonly ConditionDraft[]) => {
    form.querySelectorAll('[data-condition]').forEach((line) => line.remove());
    for (const { key } of conditions)
      form.insertAdjacentHTML('beforeend', `<div data-condition="${key}"><input id="line-${key}"><select></select></div>`);
  };
  const hook = renderHook(() => {
    const [values, setValues] = useState<RuleValues>({ ...startValues(null, null), conditions: conditionsOf(...names) });
    const editing = {
      formId: 'form',
      values,
      change: (part: Partial<RuleValues>) => {
        if (part.conditions) show(part.conditions);
        setValues((now) => ({ ...now, ...part }));
      },
    } as RuleEditing;
    return { list: useConditionList(editing), conditions: values.conditions };
  });
  show(hook.result.current.conditions);
  const at = (index: number) => hook.result.current.conditions[index] ?? blankCondition();
  return {
    run: (change: (list: ConditionList) => void) => act(() => change(hook.result.current.list)),
    at,
    names: () => namesOf(hook.result.current.conditions),
    message: () => hook.result.current.list.announcement,
    focused: () => hook.result.current.conditions.findIndex(({ key }) => document.activeElement?.id === `line-${key}`),
    form,
  };
}

it('adds a line after another or at the end, says where, and moves the focus to it', () => {
  const { run, at, names, message, focused } = listOf('a', 'b', 'c');
  run((list) => list.add('Or', at(0)));
  expect([names(), message(), focused()]).toEqual([['a', '|', 'b', 'c'], 'Condition 2 of 4 added.', 1]);
  run((list) => list.add('And'));
  expect([names(), message(), focused()]).toEqual([['a', '|', 'b', 'c', ''], 'Condition 5 of 5 added.', 4]);
});

it('removes a line, and moves the focus to the next one, at the end to the one before, and after the last to the button', () => {
  const { run, at, names, message, focused, form } = listOf('a', 'b', 'c');
  run((list) => list.remove(at(1)));
  expect([names(), message(), focused()]).toEqual([['a', 'c'], 'Condition removed.', 1]);
  run((list) => list.remove(at(1)));
  expect([names(), focused()]).toEqual([['a'], 0]);
  run((list) => list.remove(at(0)));
  expect([names(), document.activeElement]).toEqual([[], form.querySelector('[data-add-condition]')]);
});

it('moves a line, says where it is, and leaves the focus in its control', () => {
  const { run, at, names, message, focused, form } = listOf('a', 'b', 'c');
  const select = () => form.querySelector<HTMLElement>(`[data-condition="${at(1).key}"] select`);
  run((list) => list.move(at(0), 1));
  expect([names(), message(), focused()]).toEqual([['b', 'a', 'c'], 'Condition moved to place 2 of 3.', 1]);
  select()?.focus();
  // At the ends nothing moves, and nothing is said of it.
  run((list) => list.move(at(2), 1));
  run((list) => list.move(at(0), -1));
  expect([names(), message(), document.activeElement]).toEqual([['b', 'a', 'c'], 'Condition moved to place 2 of 3.', select()]);
});

it('changes the line as it is now, also by a callback of before', () => {
  const { run, at, names } = listOf('a', 'b');
  run((list) => list.change({ ...at(0), LeftOperandFieldName: 'x' }));
  run((list) => list.change({ ...at(1), LeftOperandFieldName: 'y' }));
  expect(names()).toEqual(['x', 'y']);
});

it.each([
  ['ArrowUp', {}, 'move', -1],
  ['ArrowDown', {}, 'move', 1],
  ['Enter', {}, 'And', 'after'],
  ['Enter', { shiftKey: true }, 'Or', 'after'],
  ['Delete', {}, 'remove', undefined],
])('takes Alt+%s %j', (key, modifiers, first, second) => {
  const condition = blankCondition();
  const calls: unknown[][] = [];
  const list = {
    move: (_: ConditionDraft, by: number) => calls.push(['move', by]),
    add: (type: string, after: unknown) => calls.push([type, after === condition ? 'after' : '']),
    remove: () => calls.push(['remove', undefined]),
  } as unknown as ConditionList;
  const pressed = (more: object) => {
    const event = {
      key,
      altKey: true,
      shiftKey: false,
      preventDefault: vi.fn<() => void>(),
      stopPropagation: vi.fn<() => void>(),
      ...modifiers,
      ...more,
    };
    lineKeys(event as unknown as KeyboardEvent, condition, list);
    return event.preventDefault.mock.calls.length + event.stopPropagation.mock.calls.length;
  };
  expect([pressed({}), pressed({ altKey: false }), pressed({ key: 'Backspace' })]).toEqual([2, 0, 0]);
  expect(calls).toEqual([[first, second]]);
});

it('shows a length in its largest whole unit, keeps the unit that is chosen, and keeps the length when that changes', () => {
  const changes: (number | null)[] = [];
  function Spans({ start }: { start: number | null }) {
    const [value, setValue] = useState(start);
    const change = (next: number | null) => {
      changes.push(next);
      setValue(next);
    };
    return <SpanInput value={value} onChange={change} onBlur={() => undefined} disabled={false} label="Window" aria={{ id: 'span' }} />;
  }
  const shown = (start: number | null) => {
    document.body.innerHTML = '';
    render(<Spans start={start} />);
    const [number, unit] = [screen.getByRole<HTMLInputElement>('textbox'), screen.getByRole<HTMLSelectElement>('combobox')];
    return { number, unit, text: () => `${number.value} ${unit.selectedOptions[0]?.text}` };
  };
  expect([45, 90, 300, 5_400, 7_200, 86_400, null].map((seconds) => shown(seconds).text())).toEqual([
    '45 s',
    '90 s',
    '5 min',
    '90 min',
    '2 h',
    '1 d',
    ' min',
  ]);
  const { number, unit, text } = shown(300);
  fireEvent.change(number, { target: { value: '6x0' } });
  expect([text(), changes.at(-1)]).toEqual(['60 min', 3_600]);
  fireEvent.change(unit, { target: { value: '3600' } });
  expect([text(), changes.at(-1)]).toEqual(['60 h', 60 * 3_600]);
  fireEvent.change(number, { target: { value: '' } });
  expect([text(), changes.at(-1)]).toEqual([' min', null]);
  const count = changes.length;
  fireEvent.change(unit, { target: { value: '1' } });
  expect(changes).toHaveLength(count);
});
