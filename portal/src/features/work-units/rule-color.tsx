/** The colour of the rule that opened a unit of the list. */
import { useQuery } from '@tanstack/react-query';
import { compare } from '@cloudfit/contract/query/build.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { useMay } from '../../api/lookups.ts';
import { ColorDot } from '../../components/color-dot.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

const maxRules = 1_000;

/** One query for all rows of the list: the rules that have a colour. */
function useColoredRules(enabled: boolean) {
  return useQuery({
    queryKey: [rules.name, 'colored'],
    queryFn: async ({ signal }) => {
      const query = { filter: compare(rules, 'color', 'ne', null), select: ['ruleId', 'name', 'color'], top: maxRules } as const;
      return new Map((await fetchPage(rules, query, signal)).rows.map((rule) => [rule.ruleId, rule]));
    },
    enabled,
    staleTime: 60_000,
  });
}

export function RuleColor({ ruleId }: { ruleId: string | null | undefined }) {
  const mayView = useMay()('Rules', 'view');
  const { data } = useColoredRules(mayView && Boolean(ruleId));
  const rule = ruleId ? data?.get(ruleId) : undefined;
  return rule ? <ColorDot color={rule.color} label={rule.name} /> : null;
}
