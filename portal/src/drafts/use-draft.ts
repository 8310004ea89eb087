import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { useCurrentUser } from '../api/lookups.ts';
import { keepDraft, readDraft } from './stored-draft.ts';

interface InputDraftOptions<T> {
  /** The name under which the input is stored, such as `rules.new`. */
  name: string;
  /** The unsaved input; undefined when nothing is unsaved. */
  typed: T | undefined;
  isTyped: (stored: unknown) => stored is T;
  /** Receives, once, the input that was unsaved when the page was reloaded or the session ended. */
  restore: (typed: T) => void;
}

/** Stores unsaved input other than a resource form. Returns a function that deletes it after saving or discarding. */
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
