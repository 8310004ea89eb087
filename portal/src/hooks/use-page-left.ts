import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { pageLeft } from '../components/overlay/floating-props.ts';

const tell = () => void document.dispatchEvent(new Event(pageLeft));

/** Says when the person goes to another page, or back or forward, so that menus and dialogs of the page before close. Each frame of the portal uses it once. */
export function usePageLeft() {
  const { pathname, key } = useLocation();
  const isBack = useNavigationType() === 'POP';
  const last = useRef({ pathname, key });
  useEffect(() => {
    const before = last.current;
    last.current = { pathname, key };
    if (before.pathname !== pathname || (isBack && before.key !== key)) tell();
  }, [pathname, key, isBack]);
  useEffect(() => tell, []);
}
