import { useSearchParams } from 'react-router';
import { useAddress } from '../hooks/use-address.ts';

const param = 'filters';

/** Whether the panel with all filters is open, stored in the address, and a function that opens or closes it. */
export function useFilterPanel() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const isOpen = params.get(param) === 'open';
  const toggle = () =>
    setAddress(
      (next) => {
        if (isOpen) next.delete(param);
        else next.set(param, 'open');
        return undefined;
      },
      { replace: true, now: true },
    );
  return { isOpen, toggle };
}
