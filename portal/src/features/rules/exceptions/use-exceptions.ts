import { useQuery } from '@tanstack/react-query';
import { eq, and } from '@cloudfit/contract/query/build.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import { nowMs } from '../../../theme/now.ts';

/** How many exceptions a rule has, as far as the person sees them, and for a rule of several tenants what the chosen one has otherwise. */
export function useExceptions(ruleId: string | undefined, tenantId: string | null) {
  const { data } = useQuery({
    queryKey: [ruleExceptions.name, 'ofRule', ruleId, tenantId],
    queryFn: async ({ signal }) => {
      const ofRule = eq(ruleExceptions, 'ruleId', ruleId ?? '');
      const { count } = await fetchPage(ruleExceptions, { filter: ofRule, count: true, top: 1 }, signal);
      if (!tenantId || !count) return { count: count ?? 0 };
      const ofTenant = and(ofRule, eq(ruleExceptions, 'tenantId', tenantId), eq(ruleExceptions, 'appliesTo', 'Tenant'));
      const [exception] = (await fetchPage(ruleExceptions, { filter: ofTenant, top: 1 }, signal)).rows;
      return { count, ofTenant: exception && !(exception.until && Date.parse(exception.until) <= nowMs()) ? exception : undefined };
    },
    enabled: ruleId !== undefined,
  });
  return data;
}
