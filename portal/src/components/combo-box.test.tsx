import '../testing/browser.ts';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ComboBox, type ComboChoice } from './combo-box.tsx';
import { SidePanel } from './side-panel.tsx';

afterEach(cleanup);

const choices: ComboChoice[] = [
  { value: 1, label: 'Amara Diallo' },
  { value: 2, label: 'Bruno Keller' },
  { value: 3, label: 'Bruna Keller' },
];
const bruno = choices[1] as ComboChoice;

let saved: (ComboChoice | null)[] = [];
beforeEach(() => {
  saved = [];
});

/** A panel with one `ComboBox`, whose first value is `named`. `isForm`: whether the field is inside a `form` element. */
function Panel({ named = bruno, isForm = true }: { named?: ComboChoice; isForm?: boolean }) {
  const [value, setValue] = useState<ComboChoice | null>(named);
  const field = (
    <ComboBox
      aria={{ id: 'person' }}
      choices={choices}
      value={value && (value.value === named.value ? named : value)}
      onChange={setValue}
    />
  );
  const save = () => saved.push(value);
  return (
    <SidePanel
      title="Grant"
      onClose={() => undefined}
      footer={
        <button type="submit" form="grant">
          Save
        </button>
      }
    >
      {isForm ? (
        <form
          id="grant"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          {field}
          <button type="button">Next</button>
        </form>
      ) : (
        field
      )}
    </SidePanel>
  );
}

const input = () => screen.getByRole<HTMLInputElement>('combobox');
const open = (props: Parameters<typeof Panel>[0] = {}) => {
  const view = render(<Panel {...props} />);
  act(() => input().focus());
  return view;
};
const type = (text: string) => fireEvent.change(input(), { target: { value: text } });
const press = (key: string, ctrlKey = false) => fireEvent.keyDown(input(), { key, ctrlKey });
const send = () => fireEvent.click(screen.getByRole('button', { name: 'Save' }));
const refused = (text: string) =>
  expect(screen.getByRole('alert').textContent).toBe(`“${text}” is not chosen. Choose an entry of the list, or clear the field.`);

it('keeps typed text when the name of its value arrives late, and does not save that value for it', () => {
  const { rerender } = open({ named: { value: 2, label: '' } });
  type('Carla');
  rerender(<Panel named={bruno} />);
  expect(input().value).toBe('Carla');
  expect(press('Enter')).toBe(false);
  refused('Carla');
  expect(input().getAttribute('aria-invalid')).toBe('true');
  send();
  expect(saved).toEqual([]);
});

it('says at a field that is left what is no choice, and Escape brings back the value that counts', () => {
  open();
  type('Am');
  act(() => input().blur());
  expect(input().value).toBe('Am');
  refused('Am');
  send();
  expect(saved).toEqual([]);
  expect(document.activeElement).toBe(input());
  press('Escape');
  expect([input().value, screen.queryByRole('alert')]).toEqual(['Bruno Keller', null]);
  send();
  expect(saved).toEqual([bruno]);
});

it('chooses the highlighted entry by Enter, and a full name when the field is left', () => {
  open();
  type('Ama');
  press('Enter');
  expect(input().value).toBe('Amara Diallo');
  type('bruna keller');
  act(() => input().blur());
  expect(input().value).toBe('Bruna Keller');
  send();
  expect(saved).toEqual([choices[2]]);
});

it('brings back its value where no form can refuse the typed text', () => {
  open({ isForm: false });
  type('Carla');
  act(() => input().blur());
  expect([input().value, screen.queryByRole('alert')]).toEqual(['Bruno Keller', null]);
});

it('saves by Ctrl Enter while its list is open: the only choice that is meant, the reached one, or the shown value', () => {
  open();
  type('Ama');
  press('Enter', true);
  expect(saved.at(-1)?.label).toBe('Amara Diallo');
  expect(screen.queryByRole('listbox')).toBeNull();
  press('ArrowDown');
  screen.getByRole('listbox');
  press('Enter', true);
  expect(saved.map((item) => item?.label)).toEqual(['Amara Diallo', 'Amara Diallo']);
  expect(screen.queryByRole('listbox')).toBeNull();
  press('ArrowDown');
  press('ArrowDown');
  press('Enter', true);
  expect(saved.at(-1)?.label).toBe('Bruno Keller');
});

it('does not guess by Ctrl Enter between several choices', () => {
  open();
  type('Brun');
  press('Enter', true);
  refused('Brun');
  expect(saved).toEqual([]);
  press('ArrowDown');
  press('Enter', true);
  expect(saved.map((item) => item?.label)).toEqual(['Bruna Keller']);
});
