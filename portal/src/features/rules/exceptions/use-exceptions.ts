import { useQuery } from '@tanstack/react-query';
import { and, compare, eq, or } from '@cloudfit/contract/query/build.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { byPrecedence } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import { nowMs } from '../../../theme/now.ts';
import { placeExpand, placeName } from './place-name.ts';

const namedAtMost = 3;

/**
 * How many exceptions a rule has, as far as the person sees them, the first that hold by what they are for, and for a rule of several tenants
 * what the chosen one has otherwise.
 */
export function useExceptions(ruleId: string | undefined, tenantId: string | null) {
  const { data } = useQuery({
    queryKey: [ruleExceptions.name, 'ofRule', ruleId, tenantId],
    queryFn: async ({ signal }) => {
      const ofRule = eq(ruleExceptions, 'ruleId', ruleId ?? '');
      const isInForce = or(eq(ruleExceptions, 'until', null), compare(ruleExceptions, 'until', 'gt', new Date(nowMs()).toISOString()));
      const [all, inForce] = await Promise.all([
        fetchPage(ruleExceptions, { filter: ofRule, count: true, top: 1 }, signal),
        fetchPage(
          ruleExceptions,
          {
            filter: and(ofRule, isInForce),
            expand: placeExpand,
            orderBy: ['appliesTo asc', 'rank asc', 'created asc'],
            top: namedAtMost,
            count: true,
          },
          signal,
        ),
      ]);
      const count = all.count ?? 0;
      const places = inForce.rows.toSorted(byPrecedence).map(placeName);
      const named = { places, more: (inForce.count ?? places.length) - places.length };
      if (!tenantId || !count) return { count, named };
      const ofTenant = and(ofRule, eq(ruleExceptions, 'tenantId', tenantId), eq(ruleExceptions, 'appliesTo', 'Tenant'));
      const [exception] = (await fetchPage(ruleExceptions, { filter: ofTenant, top: 1 }, signal)).rows;
      return {
        count,
        named,
        ofTenant: exception && !(exception.until && Date.parse(exception.until) <= nowMs()) ? exception : undefined,
      };
    },
    enabled: ruleId !== undefined,
  });
  return data;
}
