import { useCallback, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';

interface AddressOptions {
  replace?: boolean;
  /** Nothing is lost by leaving, whatever a form still holds. */
  saved?: boolean;
  /** Shows the outcome within the click. */
  now?: boolean;
}

/** Changes the parameters of the address. The function stays the same for the life of the page, so that rows do not re-render. */
export function useAddress() {
  const navigate = useNavigate();
  const { search } = useLocation();
  const current = useRef(search);
  useLayoutEffect(() => {
    current.current = search;
  }, [search]);
  return useCallback(
    (change: (params: URLSearchParams) => URLSearchParams | undefined, { replace = false, saved, now = false }: AddressOptions = {}) => {
      const params = new URLSearchParams(current.current);
      const next = change(params) ?? params;
      void navigate({ search: next.toString() }, { replace, flushSync: now, ...(saved === undefined ? {} : { state: { saved } }) });
    },
    [navigate],
  );
}
