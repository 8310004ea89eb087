import { useSearchParams } from 'react-router';
import { useAddress } from '../../../hooks/use-address.ts';

/** Whether the address asks for the unit as a page instead of a panel beside the list, and a function that changes this. */
export function useAsPage(): readonly [boolean, () => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const isPage = params.get('view') === 'page';
  const toggle = () =>
    setAddress(
      (next) => {
        if (isPage) next.delete('view');
        else next.set('view', 'page');
        return undefined;
      },
      { replace: true, now: true },
    );
  return [isPage, toggle];
}
