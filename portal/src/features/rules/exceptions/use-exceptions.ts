import { useQuery } from '@tanstack/react-query';
import { and, compare, eq, oneOf, or } from '@cloudfit/contract/query/build.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { exceptionPlaces } from '@cloudfit/contract/enums.ts';
import { byPrecedence, isWide } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { nextEndMs } from '../../../entities/rule-exceptions/exception-cells.tsx';
import { fetchPage } from '../../../rows/use-rows.ts';
import { nowMs } from '../../../theme/now.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { exactTime } from '../../../theme/times.ts';
import { placeExpand, placeName, type PlacedException } from './place-name.ts';

const namedAtMost = 3;

/** The name of a tenant or group for which the rule does not hold, and until when. */
const offName = ({ tenant, tenantGroup, until }: PlacedException): string =>
  [tenant?.name ?? tenantGroup?.name ?? '', ...(until === null ? [] : [t.untilTime(exactTime(until))])].join(' ');

/**
 * How many exceptions a rule has, as far as the person sees them, the first that hold by what they are for, and for a rule of several tenants
 * what the chosen one has otherwise. `off`: the tenants and groups for which the rule does not hold, in words.
 */
export function useExceptions(ruleId: string | undefined, tenantId: string | null) {
  const { data } = useQuery({
    queryKey: [ruleExceptions.name, 'ofRule', ruleId, tenantId],
    queryFn: async ({ signal }) => {
      const ofRule = eq(ruleExceptions, 'ruleId', ruleId ?? '');
      const isInForce = or(eq(ruleExceptions, 'until', null), compare(ruleExceptions, 'until', 'gt', new Date(nowMs()).toISOString()));
      const isOff = (value: boolean) => eq(ruleExceptions, 'isOff', value);
      const isFor = (wide: boolean) =>
        oneOf(
          ruleExceptions,
          'appliesTo',
          exceptionPlaces.filter((appliesTo) => isWide({ appliesTo }) === wide),
        );
      const first = { expand: placeExpand, orderBy: ['appliesTo asc', 'rank asc', 'created asc'], top: namedAtMost, count: true } as const;
      const [all, inForce, whole] = await Promise.all([
        fetchPage(ruleExceptions, { filter: ofRule, count: true, top: 1 }, signal),
        fetchPage(ruleExceptions, { ...first, filter: and(ofRule, isInForce, or(isOff(false), isFor(false))) }, signal),
        fetchPage(ruleExceptions, { ...first, filter: and(ofRule, isInForce, isOff(true), isFor(true)) }, signal),
      ]);
      const count = all.count ?? 0;
      const places = inForce.rows.toSorted(byPrecedence).map(placeName);
      const named = { places, more: (inForce.count ?? places.length) - places.length };
      const moreOff = (whole.count ?? 0) - whole.rows.length;
      const off = [...whole.rows.map(offName), ...(moreOff > 0 ? [t.andMore(moreOff)] : [])].join(', ');
      const ends = nextEndMs([...inForce.rows, ...whole.rows]);
      if (!tenantId || !count) return { count, named, off, nextEndMs: ends };
      const ofTenant = and(ofRule, eq(ruleExceptions, 'tenantId', tenantId), eq(ruleExceptions, 'appliesTo', 'Tenant'));
      const [exception] = (await fetchPage(ruleExceptions, { filter: ofTenant, top: 1 }, signal)).rows;
      return {
        count,
        named,
        off,
        nextEndMs: ends,
        ofTenant: exception && !(exception.until && Date.parse(exception.until) <= nowMs()) ? exception : undefined,
      };
    },
    enabled: ruleId !== undefined,
    refetchInterval: ({ state }) => state.data?.nextEndMs ?? false,
  });
  return data;
}
