import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';

interface AddressOptions {
  replace?: boolean;
  /** Nothing is lost by leaving, whatever a form still holds. */
  saved?: boolean;
  /** Shows the outcome within the click. */
  now?: boolean;
}

/**
 * Changes the parameters of the address. The function stays the same for the life of the page, so that rows do not re-render.
 * After the page was left it does nothing: what was begun on one page must not change the address of the next.
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
