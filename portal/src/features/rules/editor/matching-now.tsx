/**
 * How many devices satisfy the rule in the form with their latest packets, which fields of the rule no device reports, and whether a
 * device and its operation report the same, which a new rule then joins to one work unit.
 */
import { useEffect, useRef, useState } from 'react';
import { keepPreviousData } from '@tanstack/react-query';
import type { CallInput } from '@cloudfit/contract/call.ts';
import type { MatchingNow as Counted } from '@cloudfit/contract/actions/backtest.ts';
import { matchingNow, matchingOfTenants } from '@cloudfit/contract/calls.ts';
import { latestPacketsRead, packetsOfTenants } from '@cloudfit/contract/limits.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { useCall } from '../../../api/call.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { countText } from '../../../components/count.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import { wireOf, type RuleValues } from './rule-draft.ts';
import { useShowCase } from './use-test-case.ts';

const t = ruleEditorTexts.now;
const restMs = 400;
/** Poll interval in milliseconds, because packets also arrive while nobody types. */
const againMs = 30_000;

function Answer({ counted }: { counted: Counted }) {
  const showCase = useShowCase();
  const { entities, matching, first, ignoresRepeats, truncated } = counted;
  if (entities === 0) return <span className="muted">{t.nobody}</span>;
  if (matching === null) return <span className="muted">{t.history}</span>;
  return (
    <>
      <span title={t.all}>
        <Chip tone={matching > 0 ? 'warn' : 'plain'} dot>
          {t.of(matching, entities)}
        </Chip>
      </span>
      {first.map(({ id, name }) => (
        <Button key={id} small look="quiet" aria-label={t.show(name)} onClick={() => showCase(id)}>
          {name}
        </Button>
      ))}
      {matching > first.length && <span className="muted">{t.more(matching - first.length)}</span>}
      {ignoresRepeats && <span className="faint">{t.repeats}</span>}
      {truncated && <span className="faint">{t.truncated(latestPacketsRead)}</span>}
    </>
  );
}

interface TwiceProps {
  twice: NonNullable<Counted['twice']>;
  groupBy: RuleValues['groupBy'];
  onGroupBy: ((groupBy: RuleValues['groupBy']) => void) | undefined;
}

/** Says that one fault is two matches, and how many work units they open. */
function Twice({ twice: { device, operation }, groupBy, onGroupBy }: TwiceProps) {
  if (groupBy !== 'Subject' && groupBy !== 'Device') return null;
  const isJoined = groupBy === 'Device';
  return (
    <p className="notice">
      {(isJoined ? t.joined : t.twice)(device, operation)}
      {onGroupBy && (
        <Button small look="quiet" onClick={() => onGroupBy(isJoined ? 'Subject' : 'Device')}>
          {isJoined ? t.separate : t.join}
        </Button>
      )}
    </p>
  );
}

type RuleOfTenants = CallInput<typeof matchingOfTenants>;

/** The count at all tenants of a rule of several, when somebody wants it: it reads the latest packets of each. */
function OfTenants(input: RuleOfTenants) {
  const [requestedKey, setRequestedKey] = useState<string>();
  const key = JSON.stringify(input);
  const { data, error } = useCall(matchingOfTenants, input, { enabled: requestedKey === key, retry: false, meta: { live: false } });
  if (requestedKey !== key)
    return (
      <Button small look="quiet" onClick={() => setRequestedKey(key)}>
        {t.atAll}
      </Button>
    );
  if (error) return <span className="muted">{t.failed}</span>;
  if (!data) return <span className="muted">{t.counting}</span>;
  if (data.entities === 0) return <span className="muted">{t.nobody}</span>;
  if (data.matching === null) return <span className="muted">{t.history}</span>;
  const { matching, entities, tenantsMatching, tenants, largest, truncated } = data;
  return (
    <>
      <Chip tone={matching > 0 ? 'warn' : 'plain'} dot>
        {t.ofTenants(countText(matching), countText(entities), tenantsMatching, tenants)}
      </Chip>
      {largest.length > 0 && <span>{largest.map((tenant) => `${tenant.name} ${countText(tenant.matching)}`).join(', ')}</span>}
      {tenantsMatching > largest.length && <span className="muted">{t.more(tenantsMatching - largest.length)}</span>}
      {truncated && <span className="faint">{t.truncated(packetsOfTenants)}</span>}
    </>
  );
}

interface MatchingNowProps {
  values: RuleValues;
  /** The saved rule, whose exceptions hold. */
  ruleId?: string | undefined;
  /** The name of the tenant at which a rule of several tenants is counted. */
  at?: string | undefined;
  /** The group of the rule. */
  tenantGroupId: string | null;
  isWrong: boolean;
  isNew: boolean;
  /** Absent when the rule cannot be edited. */
  onGroupBy?: ((groupBy: RuleValues['groupBy']) => void) | undefined;
}

export function MatchingNow({ values, ruleId, at, tenantGroupId, isWrong, isNew, onGroupBy }: MatchingNowProps) {
  const { ruleTypeId, tenantId, subscriptionId, timeConditions, conditions } = wireOf(values);
  const complete = isWrong ? undefined : JSON.stringify({ ruleTypeId, tenantId, subscriptionId, timeConditions, conditions });
  const rule = useDebounced(complete, restMs);
  const input = { rule: JSON.parse(rule ?? '{}') as CallInput<typeof matchingNow>['rule'], ...(ruleId === undefined ? {} : { ruleId }) };
  const { data, error, isFetching } = useCall(matchingNow, input, {
    // `rule` is debounced, so it may still be the incomplete rule.
    enabled: !isWrong && rule !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
    retry: false,
    meta: { live: false },
  });
  const twice = isWrong ? undefined : data?.twice;
  const isTwice = Boolean(twice);
  // Once: whoever then chooses otherwise has decided.
  const isProposed = useRef(!isNew);
  useEffect(() => {
    if (isProposed.current || !isTwice) return;
    isProposed.current = true;
    if (values.groupBy === 'Subject') onGroupBy?.('Device');
  }, [isTwice, values.groupBy, onGroupBy]);
  return (
    <div className="matching-now" role="group" aria-label={t.title}>
      <p role="status" aria-busy={isFetching}>
        <b>{at === undefined ? t.title : `${t.title} ${t.at(at)}`}</b>
        {isWrong ? (
          <span className="muted">{t.incomplete}</span>
        ) : error ? (
          <span className="muted">{t.failed}</span>
        ) : data ? (
          <Answer counted={data} />
        ) : (
          <span className="muted">{t.counting}</span>
        )}
      </p>
      {!isWrong && at !== undefined && (
        <p role="status">
          <OfTenants
            rule={{ ruleTypeId, timeConditions, conditions } as RuleOfTenants['rule']}
            tenantGroupId={tenantGroupId}
            {...(ruleId === undefined ? {} : { ruleId })}
          />
        </p>
      )}
      {!isWrong &&
        data?.unreported.map(({ condition, field }) => (
          <p key={`${condition} ${field}`} className="notice">
            {t.unreported(condition + 1, field)}
          </p>
        ))}
      {twice && <Twice twice={twice} groupBy={values.groupBy} onGroupBy={onGroupBy} />}
    </div>
  );
}
