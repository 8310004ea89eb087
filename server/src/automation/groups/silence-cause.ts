/**
 * Why entities fell silent: what they depend on is silent, or many devices of a location or subscription fell silent at the
 * same time.
 */
import type { Db } from '../../db/db.ts';
import { placeOf, type GroupPlace, type WaitingMatch } from './group-place.ts';
import { currentTime } from '../../platform/clock.ts';

/** Maximum time that a match waits for other entities that are overdue as well. */
const settleMs = 90_000;
/** Silences that begin within this many minutes are one event. */
const togetherMinutes = 3;
/** Minimum number of silent devices of a place that count as many; they must also be at least half of its devices. */
const minMany = 3;

/** SQL: whether a device is overdue: no packet for 1.2 heartbeat intervals, at least 10 s, because a heartbeat may be late. */
const overdue = (d: string, l: string): string =>
  `${d}.heartbeat_interval > 0 and ${l}.received_timestamp < now() - make_interval(secs => greatest(10, ${d}.heartbeat_interval * 1.2))`;

/** SQL: the open match of the silence of a device. */
const silentMatch = (id: string): string => `(
  select m.rule_match_id from rule_match m join match_group_member g on g.rule_match_id = m.rule_match_id and g.cause in ('Silence', 'SilenceStorm')
  where m.subject_id = ${id} and m.closed is null order by m.created limit 1)`;

interface Ancestor {
  ruleMatchId: string;
  deviceId: string;
  name: string;
  silentMatchId: string | null;
  isOverdue: boolean;
  group: { scopeId: string; key: string; kind: string; label: string } | null;
}

// An operation or block depends on its device; the device depends on its parent, and so on.
const ancestors = `with recursive up as (
  select n.rule_match_id, case when n.device_id <> n.subject_id then n.device_id else d.parent_device_id end as id, 1 as depth
  from jsonb_to_recordset($2::jsonb) as n (rule_match_id uuid, subject_id uuid, device_id uuid) join device d on d.device_id = n.device_id
  union all
  select u.rule_match_id, d.parent_device_id, u.depth + 1 from up u join device d on d.device_id = u.id where d.parent_device_id is not null and u.depth < 30
)
select u.rule_match_id as "ruleMatchId", d.device_id as "deviceId", d.name, s.id as "silentMatchId", coalesce(${overdue('d', 'l')}, false) as "isOverdue",
  (select jsonb_build_object('scopeId', g.scope_id, 'key', g.group_key, 'kind', g.kind, 'label', g.label)
    from match_group_member n join match_group g on g.match_group_id = n.match_group_id where n.rule_match_id = s.id and g.accepts) as "group"
from up u join device d on d.device_id = u.id and d.tenant_id = $1 and d.enabled and not d.is_deleted
left join latest_packet l on l.entity_id = d.device_id
cross join lateral (select ${silentMatch('d.device_id')} as id) s
where u.id is not null order by u.rule_match_id, u.depth desc`;

interface SilentSite {
  kind: 'location' | 'subscription';
  id: string;
  total: number;
  silent: number;
  isOverdue: number;
  isOpen: boolean;
}

// Counts, for each place, the devices with a packet in the last hour, because devices that were silent before do not count.
// Devices whose parent is silent do not count either.
const sites = `select s.kind, s.id, count(*)::int as total, count(*) filter (where x.is_silent)::int as silent,
  count(*) filter (where not x.is_silent and x.is_overdue)::int as "isOverdue",
  exists (select from match_group g where g.tenant_id = $1 and g.scope_id = $1 and g.group_key = 'outage:' || s.kind || ':' || s.id and g.accepts) as "isOpen"
from jsonb_to_recordset($2::jsonb) as s (kind text, id uuid)
join device d on d.tenant_id = $1 and d.enabled and not d.is_deleted and case s.kind when 'location' then d.location_id else d.subscription_id end = s.id
join latest_packet l on l.entity_id = d.device_id and l.received_timestamp > now() - interval '1 hour'
cross join lateral (
  select exists (
    select from rule_match m join match_group_member g on g.rule_match_id = m.rule_match_id and g.cause in ('Silence', 'SilenceStorm')
    where m.subject_id = d.device_id and m.closed is null and m.created > now() - make_interval(mins => ${togetherMinutes})) as is_silent,
    coalesce(${overdue('d', 'l')}, false) as is_overdue
) x
where d.parent_device_id is null or ${silentMatch('d.parent_device_id')} is null
group by s.kind, s.id`;

const siteKey = (kind: string, id: string): string => `${kind}:${id}`;

function sitesOf({ subjectId, device, location, subscription }: WaitingMatch): { kind: SilentSite['kind']; id: string; name: string }[] {
  // Silence of an operation does not mean that its machine is silent.
  if (device?.id !== subjectId) return [];
  return [
    ...(location ? [{ kind: 'location' as const, ...location }] : []),
    ...(subscription ? [{ kind: 'subscription' as const, ...subscription }] : []),
  ];
}

const notReachable =
  (name: string) =>
  (joined: number): string =>
    joined < 2
      ? `${name} is silent`
      : `${name} is silent: ${joined - 1} that ${joined === 2 ? 'depends' : 'depend'} on it cannot be reached`;

/** Returns the group of the silent device on which the match depends, if any; `wait` while that is not known. */
function ofAncestor(
  match: WaitingMatch,
  above: readonly Ancestor[],
  placeOfMatch: (ruleMatchId: string) => GroupPlace | 'wait' | undefined,
  mayWait: boolean,
): GroupPlace | 'wait' | undefined {
  // Of several silent devices in the chain, the topmost one explains the others.
  const root = above.find(({ silentMatchId }) => silentMatchId !== null);
  const reason = (name: string) => `not reachable because ${name} is silent`;
  if (root) {
    const rootPlace = root.group ?? (root.silentMatchId === null ? undefined : placeOfMatch(root.silentMatchId));
    if (rootPlace === 'wait' || rootPlace === undefined) return mayWait ? 'wait' : undefined;
    const isWider = rootPlace.kind === 'Outage' || rootPlace.kind === 'Location';
    return {
      scopeId: rootPlace.scopeId,
      kind: isWider ? rootPlace.kind : 'Silence',
      key: rootPlace.key,
      label: rootPlace.label,
      reason: reason(root.name),
      ...(isWider ? {} : { statement: notReachable(root.name) }),
    } as GroupPlace;
  }
  const late = above.find((item) => item.isOverdue);
  if (!late) return undefined;
  if (mayWait) return 'wait';
  return {
    scopeId: match.tenantId,
    kind: 'Silence',
    key: `silence:${late.deviceId}`,
    label: late.name,
    reason: reason(late.name),
    // The silent device has no match, so `joined` does not include it.
    statement: (joined) => `${late.name} is silent: ${joined} that ${joined === 1 ? 'depends' : 'depend'} on it cannot be reached`,
  };
}

function ofSites(match: WaitingMatch, counts: ReadonlyMap<string, SilentSite>, mayWait: boolean): GroupPlace | 'wait' | undefined {
  for (const { kind, id, name } of sitesOf(match)) {
    const site = counts.get(siteKey(kind, id));
    if (!site) continue;
    const many = Math.max(minMany, Math.ceil(site.total / 2));
    if (site.silent >= many || site.isOpen)
      return {
        scopeId: match.tenantId,
        kind: 'Outage',
        key: `outage:${kind}:${id}`,
        label: `${kind} ${name}`,
        reason: `many devices of ${kind} ${name} fell silent within ${togetherMinutes} min`,
        statement: (joined) =>
          `${joined} of ${Math.max(joined, site.total)} devices of ${kind} ${name} fell silent within ${togetherMinutes} min`,
      };
    if (site.silent + site.isOverdue >= many && mayWait) return 'wait';
  }
  return undefined;
}

/** Returns a function that returns the group of a match, or `wait` while other entities are overdue too. */
export async function silenceCauses(
  db: Db,
  tenantId: string,
  matches: readonly WaitingMatch[],
): Promise<(match: WaitingMatch) => GroupPlace | 'wait'> {
  if (matches.length === 0) return placeOf;
  const devices = matches.flatMap(({ ruleMatchId, subjectId, device }) =>
    device ? [{ rule_match_id: ruleMatchId, subject_id: subjectId, device_id: device.id }] : [],
  );
  const above = Map.groupBy(
    await db.query<Ancestor>({ name: 'silence-ancestors', text: ancestors, values: [tenantId, JSON.stringify(devices)] }),
    (ancestor) => ancestor.ruleMatchId,
  );
  const places = [...new Map(matches.flatMap(sitesOf).map(({ kind, id }) => [siteKey(kind, id), { kind, id }])).values()];
  const counts = new Map(
    (await db.query<SilentSite>({ name: 'silence-sites', text: sites, values: [tenantId, JSON.stringify(places)] })).map((site) => [
      siteKey(site.kind, site.id),
      site,
    ]),
  );
  const byId = new Map(matches.map((match) => [match.ruleMatchId, match]));
  const decisions = new Map<string, GroupPlace | 'wait'>();
  function decide(match: WaitingMatch): GroupPlace | 'wait' {
    const earlier = decisions.get(match.ruleMatchId);
    if (earlier) return earlier;
    const mayWait = match.isOpen && currentTime() < match.created + settleMs;
    const ofMatch = (id: string) => {
      const other = byId.get(id);
      return other && other !== match ? decide(other) : undefined;
    };
    const place =
      ofAncestor(match, above.get(match.ruleMatchId) ?? [], ofMatch, mayWait) ??
      (match.groupBy === 'Subject' ? ofSites(match, counts, mayWait) : undefined) ??
      placeOf(match);
    decisions.set(match.ruleMatchId, place);
    return place;
  }
  return decide;
}
