/** The open tab of the rule editor, in the address. */
import { useTabAddress } from '../../../hooks/use-tab-address.ts';
import { ruleTabs, type RuleTab } from './rule-form-problems.ts';

export function useRuleTab(): readonly [RuleTab, (id: string) => void] {
  const [named, choose] = useTabAddress('details');
  return [ruleTabs.find((name) => name === named) ?? 'details', choose];
}
