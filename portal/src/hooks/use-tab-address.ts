import { useSearchParams } from 'react-router';
import { useAddress } from './use-address.ts';

/** The tab that the address names, and a function that opens another one. The usual tab is open without a name. */
export function useTabAddress(usual: string): readonly [string | null, (tab: string) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const named = params.get('tab');
  const choose = (tab: string) => {
    if (tab === (named ?? usual)) return;
    setAddress(
      (now) => {
        if (tab === usual) now.delete('tab');
        else now.set('tab', tab);
        return undefined;
      },
      { replace: true, now: true },
    );
  };
  return [named, choose];
}
