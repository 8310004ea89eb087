import '../testing/browser.ts';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useLayoutEffect, useState } from 'react';
import { expect, it } from 'vitest';
import { Button } from './button.tsx';
import { SidePanel } from './side-panel.tsx';

const ignore = () => {};
const focused = () => document.activeElement;

it('takes the focus when the button that has it is replaced', async () => {
  const Steps = () => {
    const [done, setDone] = useState(false);
    return (
      <SidePanel title="Token" onClose={ignore} footer={done ? <p>Done</p> : <Button onClick={() => setDone(true)}>Create</Button>}>
        {null}
      </SidePanel>
    );
  };
  render(<Steps />);
  const create = screen.getByRole('button', { name: 'Create' });
  create.focus();
  fireEvent.click(create);
  await waitFor(() => expect(focused()).toBe(screen.getByRole('dialog', { name: 'Token' })));
});

it('has the focus as soon as it is there, and returns it in the step that removes it', () => {
  const focusedAt: (Element | null)[] = [];
  const Screen = ({ isOpen }: { isOpen: boolean }) => {
    // Runs after the layout effects of the panel and before all passive effects.
    useLayoutEffect(() => void focusedAt.push(focused()));
    return (
      <>
        <button type="button">Row</button>
        {isOpen && (
          <SidePanel title="Unit" onClose={ignore}>
            {null}
          </SidePanel>
        )}
      </>
    );
  };
  const { rerender } = render(<Screen isOpen={false} />);
  const row = screen.getByRole('button', { name: 'Row' });
  row.focus();
  rerender(<Screen isOpen />);
  const panel = screen.getByRole('dialog', { name: 'Unit' });
  rerender(<Screen isOpen={false} />);
  expect(focusedAt).toEqual([document.body, panel, row]);
});

it('gives a button that was disabled meanwhile the focus again, unless the person pressed elsewhere', async () => {
  const Saving = ({ isSaving }: { isSaving: boolean }) => (
    <SidePanel title="Form" onClose={ignore} footer={<Button disabled={isSaving}>Save</Button>}>
      {null}
    </SidePanel>
  );
  const { rerender } = render(<Saving isSaving={false} />);
  const save = screen.getByRole('button', { name: 'Save' });
  const turn = async (pressed: boolean) => {
    save.focus();
    // A browser blurs a focused button that is disabled; the test does it itself.
    act(() => save.blur());
    rerender(<Saving isSaving />);
    if (pressed) fireEvent.pointerDown(document.body);
    rerender(<Saving isSaving={false} />);
    await act(async () => {});
  };
  await turn(false);
  expect(focused()).toBe(save);
  await turn(true);
  expect(focused()).toBe(document.body);
});

it('does not take the focus back from the way to the next field', async () => {
  const Fields = ({ problem }: { problem?: string }) => (
    <SidePanel title="Form" onClose={ignore}>
      <input aria-label="Name" />
      {problem && <p>{problem}</p>}
      <input aria-label="Kind" />
    </SidePanel>
  );
  const { rerender } = render(<Fields />);
  const [name, kind] = [screen.getByLabelText('Name'), screen.getByLabelText('Kind')];
  name.focus();
  // As a browser does at Tab: no element has the focus while the field that was left shows its problem.
  fireEvent.focusOut(name, { relatedTarget: kind });
  act(() => name.blur());
  rerender(<Fields problem="Name is required." />);
  await act(async () => {});
  expect(focused()).toBe(document.body);
});

it('saves its form by Ctrl Enter once, and not what a field handled itself', () => {
  let saved = 0;
  render(
    <SidePanel
      title="Form"
      onClose={ignore}
      footer={
        <Button type="submit" form="f">
          Save
        </Button>
      }
    >
      <form
        id="f"
        onSubmit={(event) => {
          event.preventDefault();
          saved += 1;
        }}
      >
        <input aria-label="Name" />
        <input aria-label="Note" onKeyDown={(event) => event.preventDefault()} />
      </form>
    </SidePanel>,
  );
  const press = (label: string, more: object) => fireEvent.keyDown(screen.getByLabelText(label), { key: 'Enter', ...more });
  press('Name', { ctrlKey: true });
  expect(saved).toBe(1);
  press('Note', { ctrlKey: true });
  press('Name', {});
  expect(saved).toBe(1);
});
