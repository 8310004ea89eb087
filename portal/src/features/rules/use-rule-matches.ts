/** The panel of a rule's matches, in the address as `matchesOf`. */
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';
import { dropPanelParts } from '../../hooks/use-panel.ts';

export const matchesParam = 'matchesOf';

export function useRuleMatches() {
  const [params] = useSearchParams();
  const change = useAddress();
  return {
    ruleId: params.get(matchesParam),
    close: () =>
      change(
        (next) => {
          dropPanelParts(next);
          next.delete(matchesParam);
          return undefined;
        },
        { now: true },
      ),
  };
}
