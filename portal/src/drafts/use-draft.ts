import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { useCurrentUser } from '../api/lookups.ts';
import { keepDraft, readDraft } from './stored-draft.ts';

interface InputDraftOptions<T> {
  /** Tells this input from others, such as `rules.new`. */
  name: string;
  /** What is typed and not saved; undefined when nothing is. */
  typed: T | undefined;
  isTyped: (stored: unknown) => stored is T;
  /** Receives, once, what was typed before the page was reloaded or the session ended. */
  restore: (typed: T) => void;
}

/** Stores input that is no form of a resource, and answers how it is forgotten when it is saved or given up. */
export function useDraft<T>({ name, typed, isTyped, restore }: InputDraftOptions<T>): () => void {
  const { data: user } = useCurrentUser();
  const person = user?.userName;
  const isRead = useRef(false);
  const isOver = useRef(false);
  const read = useEffectEvent((owner: string) => {
    const draft = readDraft(owner, name, isTyped);
    if (draft) restore(draft.typed);
    return draft !== undefined;
  });
  useEffect(() => {
    if (!person) return;
    if (!isRead.current) {
      isRead.current = true;
      if (read(person)) return;
    }
    if (!isOver.current) keepDraft(person, name, typed);
  }, [person, name, typed]);
  return useCallback(() => {
    isOver.current = true;
    if (person) keepDraft(person, name, undefined);
  }, [person, name]);
}
