/** Questions: `await confirm({...})` answers what was chosen; one dialog in the shell shows them. */
import { useState, useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../button.tsx';
import { Field } from '../field.tsx';
import { Dialog } from './floating.tsx';

export interface Question {
  title: string;
  text: string;
  yes?: string;
  no?: string;
  danger?: boolean;
  /** Asks for a text too; it is required (SHELL-071) unless `inputOptional`. */
  inputLabel?: string;
  inputOptional?: boolean;
  inputMax?: number;
}

export type Answer = { yes: true; input: string } | { yes: false };

interface Asked extends Question {
  answer: (value: Answer) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();

function change(next: Asked | null) {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks and waits. A second question while one is open answers no at once. */
export function confirm(question: Question): Promise<Answer> {
  if (asked) return Promise.resolve({ yes: false });
  return new Promise((resolve) => {
    change({
      ...question,
      answer: (value) => {
        change(null);
        resolve(value);
      },
    });
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function ConfirmDialog({ question }: { question: Asked }) {
  const [input, setInput] = useState('');
  const [tried, setTried] = useState(false);
  const required = question.inputLabel !== undefined && !question.inputOptional;
  const missing = required && input.trim() === '';
  const agree = () => {
    setTried(true);
    if (!missing) question.answer({ yes: true, input: input.trim() });
  };
  return (
    <Dialog
      title={question.title}
      width="xs"
      onClose={() => question.answer({ yes: false })}
      actions={
        <>
          <Button onClick={() => question.answer({ yes: false })}>{question.no ?? en.common.no}</Button>
          <Button
            look={question.danger ? 'danger' : 'primary'}
            className={question.danger ? 'primary' : ''}
            autoFocus={!required}
            onClick={agree}
          >
            {question.yes ?? en.common.yes}
          </Button>
        </>
      }
    >
      <p>{question.text}</p>
      {question.inputLabel && (
        <Field label={question.inputLabel} required={required} error={tried && missing ? en.form.required : undefined}>
          {(aria) => (
            <textarea
              className="input area"
              rows={3}
              {...aria}
              maxLength={question.inputMax}
              value={input}
              onChange={(event) => setInput(event.target.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  );
}

export function Confirmations() {
  const question = useSyncExternalStore(subscribe, () => asked);
  return question ? <ConfirmDialog question={question} /> : null;
}
