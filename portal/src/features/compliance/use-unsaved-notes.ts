import { useCallback, useState } from 'react';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';

/**
 * Notes that could not be saved, by week and control, so that a control shows its notes again when its row is rendered again.
 */
export function useUnsavedNotes(monday: string) {
  const [unsaved, setUnsaved] = useState<ReadonlyMap<string, string>>(new Map());
  useUnsavedGuard(unsaved.size > 0, 'set');
  const keep = useCallback(
    (id: string, notes: string | undefined) =>
      setUnsaved((before) => {
        const key = `${monday} ${id}`;
        if (before.get(key) === notes) return before;
        const next = new Map(before);
        if (notes === undefined) next.delete(key);
        else next.set(key, notes);
        return next;
      }),
    [monday],
  );
  return { unsavedOf: (id: string) => unsaved.get(`${monday} ${id}`), keep };
}
