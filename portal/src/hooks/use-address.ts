import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';

interface AddressOptions {
  replace?: boolean;
  /** Whether to leave without the question about unsaved changes. */
  saved?: boolean;
  /** Whether to render synchronously, within the handler of the click. */
  now?: boolean;
}

/**
 * Returns a function that changes the parameters of the address. It is the same at each render, so that rows do not re-render.
 * After the page was left it does nothing, so that work that started on one page does not change the address of the next.
 */
export function useAddress() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const current = useRef({ pathname, search });
  const isLeft = useRef(false);
  useLayoutEffect(() => {
    current.current = { pathname, search };
  }, [pathname, search]);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return useCallback(
    (change: (params: URLSearchParams) => URLSearchParams | undefined, { replace = false, saved, now = false }: AddressOptions = {}) => {
      if (isLeft.current) return;
      const params = new URLSearchParams(current.current.search);
      const next = change(params) ?? params;
      void navigate(
        { pathname: current.current.pathname, search: next.toString() },
        { replace, flushSync: now, ...(saved === undefined ? {} : { state: { saved } }) },
      );
    },
    [navigate],
  );
}
