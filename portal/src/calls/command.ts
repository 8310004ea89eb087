/** What a button does: asks, calls, says what happened, and refreshes what shows it. */
import { useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { confirm, type Question } from '../components/overlay/confirm.tsx';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tellOfRow } from '../hooks/tell-of-row.ts';
import { toastFailure, withReason } from '../hooks/toast-failure.ts';

export interface CommandOptions<Subject, Answer> {
  /** The question before the call; undefined asks nothing. */
  confirm?: (subject: Subject) => Question | undefined;
  /** The message of success; undefined shows none. */
  done?: (answer: Answer, subject: Subject) => string | undefined;
  /** The row that it is about; the message names its tenant if that is not the chosen one, as it does for the subject and the answer. */
  about?: object;
  /** What failed; the reason of a refusal follows. By default the text of the server alone. */
  failed?: string | ((subject: Subject) => string);
  /** Whether `failed` is shown as it is, where the specification has the whole text. */
  isWhole?: boolean;
  /** The entities and calls whose queries show what the call changes. */
  refreshes?: readonly string[];
}

/** Refreshes the queries whose keys begin with one of the names. */
export async function refresh(names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/**
 * Makes a command of a call. It returns the answer, or undefined after No or a failure. Queries are refreshed after a failure too:
 * the usual reason is that somebody else has changed the row.
 */
export function command<Subject, Answer>(
  send: (subject: Subject) => Promise<Answer>,
  { confirm: questionOf, done, about, failed, isWhole = false, refreshes = [] }: CommandOptions<Subject, Answer> = {},
): (subject: Subject) => Promise<{ answer: Answer } | undefined> {
  return async (subject) => {
    const question = questionOf?.(subject);
    if (question && !(await confirm({ no: en.common.cancel, ...question })).yes) return undefined;
    try {
      const answer = await send(subject);
      const message = done?.(answer, subject);
      if (message !== undefined) tellOfRow([about, subject, answer], message);
      return { answer };
    } catch (error) {
      console.warn(error);
      const text = typeof failed === 'function' ? failed(subject) : failed;
      toastFailure(error, text === undefined || isWhole ? text : withReason(error, text));
      return undefined;
    } finally {
      await refresh(refreshes);
    }
  };
}

/** A command of a component: `isBusy` from its confirmation until its queries are refreshed; meanwhile a second press does nothing. */
export function useCommand<Subject, Answer>(send: (subject: Subject) => Promise<Answer>, options?: CommandOptions<Subject, Answer>) {
  const [isBusy, setBusy] = useState(false);
  const run = async (subject: Subject) => {
    if (isBusy) return undefined;
    setBusy(true);
    try {
      return await command(send, options)(subject);
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy };
}
