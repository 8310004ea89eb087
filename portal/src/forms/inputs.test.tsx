import '../testing/browser.ts';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { f } from '@cloudfit/contract/resource.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { Field } from '../components/field.tsx';
import { fieldProblem } from './form-model.ts';
import { inputs } from './inputs.tsx';

afterEach(cleanup);

const start = f.timestamp('Start', { required: true });

/** A date field as a form shows it, with its error below. */
function DateForm() {
  const [value, setValue] = useState<unknown>('');
  const Control = inputs.datetime;
  return (
    <Field label="Start" required error={fieldProblem(start, value)}>
      {(aria) => (
        <Control
          field={start}
          name="start"
          aria={aria}
          value={value}
          values={{}}
          disabled={false}
          onChange={setValue}
          onBlur={() => undefined}
          setValue={() => undefined}
        />
      )}
    </Field>
  );
}

it('[SHELL-076] a required date picker left empty says so', () => {
  render(<DateForm />);
  expect(screen.getByText('Date is required')).toBeTruthy();
  fireEvent.change(screen.getByLabelText(/Start/), { target: { value: '2026-11-21T08:30' } });
  expect(screen.queryByText('Date is required')).toBeNull();
});

it('[SHELL-074] a date picker with an invalid date says so', () => {
  render(<DateForm />);
  const control = screen.getByLabelText(/Start/);
  // What a browser reports for the 31st of February: an empty value, and that something was typed.
  Object.defineProperty(control, 'validity', { value: { badInput: true } });
  fireEvent.blur(control);
  expect(screen.getByText('Please enter a valid date')).toBeTruthy();
});

it('[SHELL-073] a time below its minimum says how much it must be, in its unit', () => {
  expect(fieldProblem(protocols.fields.timerInverval, '00:09:59')).toBe('Must be at least 10 minutes.');
  expect(fieldProblem(protocols.fields.timerInverval, '00:10:00')).toBeUndefined();
  expect(fieldProblem(deviceOperations.fields.interval, '00:00:29')).toBe('Must be at least 30 seconds.');
});
