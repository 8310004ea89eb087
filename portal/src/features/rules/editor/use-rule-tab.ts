/** The open tab of the rule editor, in the address. */
import { useSearchParams } from 'react-router';
import { useAddress } from '../../../hooks/use-address.ts';
import { ruleTabs, type RuleTab } from './rule-form-problems.ts';

export function useRuleTab(): readonly [RuleTab, (id: string) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const tab = ruleTabs.find((name) => name === params.get('tab')) ?? 'details';
  const choose = (next: string) => {
    if (next === tab) return;
    setAddress(
      (now) => {
        if (next === 'details') now.delete('tab');
        else now.set('tab', next);
        return undefined;
      },
      { replace: true, now: true },
    );
  };
  return [tab, choose];
}
