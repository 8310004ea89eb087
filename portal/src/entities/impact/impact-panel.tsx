/** What a change touches, computed after typing pauses: a list in the form, and in the question before a deletion. */
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { impactOf } from '@cloudfit/contract/calls.ts';
import type { ImpactGroup, ImpactKind } from '@cloudfit/contract/impact/calls.ts';
import { impactTexts as t } from '@cloudfit/contract/messages/impact.en.ts';
import { useCall } from '../../api/call.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { matchAddress, unitAddress } from '../explanations/addresses.ts';
import './impact.css';

const restMs = 500;

type ImpactItem = ImpactGroup['first'][number];

const addresses: Partial<Record<ImpactKind, (item: ImpactItem) => string>> = {
  devicesBefore: ({ id, tenantId }) => `/${tenantId}/devices/${id}`,
  devicesAfter: ({ id, tenantId }) => `/${tenantId}/devices/${id}`,
  devicesGained: ({ id, tenantId }) => `/${tenantId}/devices/${id}`,
  devicesLost: ({ id, tenantId }) => `/${tenantId}/devices/${id}`,
  openMatches: ({ id, tenantId }) => matchAddress(tenantId ?? '', id),
  endingMatches: ({ id, tenantId }) => matchAddress(tenantId ?? '', id),
  heldMatches: ({ id, tenantId }) => matchAddress(tenantId ?? '', id),
  units: ({ id }) => unitAddress(Number(id)),
  unitsWithValue: ({ id }) => unitAddress(Number(id)),
  rules: ({ id, tenantId }) => `${tenantId ? `/${tenantId}` : ''}/rules?id=${id}`,
  protocols: ({ id }) => `/protocols?id=${id}`,
};

function Group({ group, linked }: { group: ImpactGroup; linked: boolean }) {
  const to = addresses[group.kind];
  const more = group.count - group.first.length;
  return (
    <li>
      <b>{t.groups[group.kind](group.count)}</b>
      {group.first.length > 0 && (
        <span className="muted">
          {': '}
          {group.first.map((item, at) => (
            <span key={item.id}>
              {at > 0 && ', '}
              {to && linked ? (
                <Link to={to(item)} target="_blank">
                  {item.name}
                </Link>
              ) : (
                item.name
              )}
            </span>
          ))}
          {more > 0 && ` ${t.more(more)}`}
        </span>
      )}
    </li>
  );
}

export interface ImpactPanelProps {
  entity: 'rules' | 'actionDefinitions' | 'protocols' | 'packages' | 'packageVersions' | 'tenants';
  id: string;
  change?: 'update' | 'delete';
  /** Further fields of the request: the rule as it would be saved, or the custom fields that change. */
  draft?: object;
}

/** Leaves out groups that repeat another: `devicesAfter` if an update changes no device; both repeated groups of a deletion. */
function withoutRepeats(groups: readonly ImpactGroup[], change: 'update' | 'delete'): readonly ImpactGroup[] {
  const differs = groups.some(({ kind }) => kind === 'devicesGained' || kind === 'devicesLost');
  const repeats: readonly ImpactKind[] = change === 'delete' ? ['devicesAfter', 'devicesLost'] : differs ? [] : ['devicesAfter'];
  return groups.filter(({ kind }) => !repeats.includes(kind));
}

export function ImpactPanel({ entity, id, change = 'update', draft = {} }: ImpactPanelProps) {
  const body = useDebounced(JSON.stringify({ ...draft, change }), restMs);
  const input = useMemo(() => ({ entity, id, ...(JSON.parse(body) as object) }) as CallInput<typeof impactOf>, [entity, id, body]);
  const { data, error, isFetching } = useCall(impactOf, input, {
    placeholderData: keepPreviousData,
    retry: false,
    meta: { live: false },
  });
  const title = change === 'delete' ? t.titleDelete : t.title;
  return (
    <section className="impact" aria-label={title}>
      <b>{title}</b>
      <div role="status" aria-busy={isFetching}>
        {data ? (
          data.groups.length > 0 ? (
            <ul>
              {withoutRepeats(data.groups, change).map((group) => (
                <Group key={`${group.kind} ${group.field ?? ''}`} group={group} linked={change !== 'delete'} />
              ))}
            </ul>
          ) : (
            <p className="faint">{t.nothing}</p>
          )
        ) : (
          <p className="faint">{error ? t.failed : t.counting}</p>
        )}
      </div>
    </section>
  );
}
