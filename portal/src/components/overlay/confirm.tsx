/** Questions to the person: `await confirm({...})` returns the answer. One dialog of the page shows them. */
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../button.tsx';
import { Field } from '../field.tsx';
import { Dialog } from './floating.tsx';

export interface Question {
  title: string;
  text: string;
  /** Shown below the text. */
  details?: ReactNode;
  yes?: string;
  no?: string;
  danger?: boolean;
  /** The label of a text that the question also asks for. The text is required (SHELL-071) unless `inputOptional`. */
  inputLabel?: string;
  inputOptional?: boolean;
  inputMax?: number;
}

export type ConfirmAnswer = { yes: true; input: string } | { yes: false };

interface OpenQuestion extends Question {
  answer: (value: ConfirmAnswer) => void;
}

let openQuestion: OpenQuestion | null = null;
const listeners = new Set<() => void>();

function change(next: OpenQuestion | null) {
  openQuestion = next;
  for (const listener of listeners) listener();
}

/** Asks and waits for the answer. A second question while one is open gets the answer no at once. */
export function confirm(question: Question): Promise<ConfirmAnswer> {
  if (openQuestion) return Promise.resolve({ yes: false });
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

function ConfirmDialog({ question }: { question: OpenQuestion }) {
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
          {/* Has the focus if the question is dangerous and requires no text: Enter or Space by reflex must lose nothing. */}
          <Button autoFocus={question.danger === true && !required} onClick={() => question.answer({ yes: false })}>
            {question.no ?? en.common.no}
          </Button>
          <Button
            look={question.danger ? 'danger' : 'primary'}
            className={question.danger ? 'primary' : ''}
            autoFocus={!question.danger && !required}
            onClick={agree}
          >
            {question.yes ?? en.common.yes}
          </Button>
        </>
      }
    >
      <p>{question.text}</p>
      {question.details}
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
  const question = useSyncExternalStore(subscribe, () => openQuestion);
  return question ? <ConfirmDialog question={question} /> : null;
}
