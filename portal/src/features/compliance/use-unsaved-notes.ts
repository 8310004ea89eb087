import { useCallback, useState } from 'react';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';

/** Notes that could not be saved, by control and week: they are there again when their row is. */
export function useUnsavedNotes(monday: string) {
  const [notes, setKept] = useState<ReadonlyMap<string, string>>(new Map());
  useUnsavedGuard(notes.size > 0, 'set');
  const keep = useCallback(
    (id: string, notes: string | undefined) =>
      setKept((before) => {
        const key = `${monday} ${id}`;
        if (before.get(key) === notes) return before;
        const next = new Map(before);
        if (notes === undefined) next.delete(key);
        else next.set(key, notes);
        return next;
      }),
    [monday],
  );
  return { unsavedOf: (id: string) => notes.get(`${monday} ${id}`), keep };
}
