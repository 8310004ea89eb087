import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

export const newId = 'new';

/** The open panel, kept in the address under `param`. */
export function usePanel(param = 'id') {
  const [params, setParams] = useSearchParams();
  const id = params.get(param);

  const open = useCallback((key: string, tab?: string) => {
    setParams((now) => {
      const next = new URLSearchParams(now);
      next.set(param, key);
      if (tab) next.set('tab', tab);
      else next.delete('tab');
      return next;
    });
  }, [param, setParams]);

  /** `saved`: nothing is lost, whatever the form still holds. */
  const close = useCallback((options: { saved?: boolean } = {}) => {
    setParams((now) => {
      const next = new URLSearchParams(now);
      for (const name of [param, 'tab', 'type']) next.delete(name);
      return next;
    }, { state: { saved: options.saved ?? false } });
  }, [param, setParams]);

  return { id, open, close };
}
