/** Reads what a status page shows. Nothing else of the tenant is selected: no names of devices, rules, people or work units. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import type { StatusComponent } from '@cloudfit/contract/resources/status-pages.ts';
import type { Db } from '../../db/db.ts';
import { announcedMs } from './maintenance-news.rules.ts';
import {
  shownDays,
  spansOfUnit,
  statusOf,
  worstOf,
  type ComponentStatus,
  type ServiceLevel,
  type Span,
  type UnitRecord,
} from './status.rules.ts';
const maxShown = 50;
/** The days for which an incident is shown after its end. */
const pastDays = 14;

export interface PublishedPage {
  statusPageId: string;
  tenantId: string;
  title: string;
  description: string | null;
  address: string;
  components: StatusComponent[];
  version: number;
}

export interface PublicIncident {
  /** What tells it from others, in a form that is shown to nobody. */
  key: string;
  changed: number;
  title: string;
  status: string;
  details: string | null;
  impact: string | null;
  /** The components of the page that the incident's impacted services name. */
  components: string[];
  started: number;
  ended: number | null;
  nextUpdate: number | null;
  updates: { at: number; text: string; isDone: boolean }[];
}

export interface PlannedMaintenance {
  components: string[];
  from: number;
  to: number;
}

export interface PublicStatus {
  title: string;
  description: string | null;
  /** The worst level of the components; at least degraded while an incident is open. */
  level: ServiceLevel;
  components: ComponentStatus[];
  open: PublicIncident[];
  past: PublicIncident[];
  maintenance: PlannedMaintenance[];
  at: number;
}

const pageColumns = `p.status_page_id as "statusPageId", p.tenant_id as "tenantId", p.title, p.description, p.address, p.components, p.version`;

/** Enabled pages of enabled tenants. */
export const publicPage = `select ${pageColumns} from status_page p join tenant t on t.tenant_id = p.tenant_id and t.enabled where p.enabled`;

/** Returns the page at a public address; undefined if the page or its tenant is disabled. `db` reads all tenants. */
export async function findPublicPage(db: Db, address: string): Promise<PublishedPage | undefined> {
  const [page] = await db.query<PublishedPage>({ name: 'status-page-public', text: `${publicPage} and p.address = $1`, values: [address] });
  return page;
}

/** Returns the public page with this id; undefined if the page or its tenant is disabled. `db` reads all tenants. */
export async function findPageById(db: Db, statusPageId: string): Promise<PublishedPage | undefined> {
  const [page] = await db.query<PublishedPage>({
    name: 'status-page-by-id',
    text: `${publicPage} and p.status_page_id = $1`,
    values: [statusPageId],
  });
  return page;
}

/** The devices and entities of each component, by the component's index in the page. $1: the components; $2: the tenant. */
const entities = `component as (
  select (ordinality - 1)::int as at, c ->> 'kind' as kind, (c ->> 'of')::uuid as id from jsonb_array_elements($1::jsonb) with ordinality as t (c, ordinality)
), entity as (
  select c.at, d.device_id as entity_id, d.device_id, d.location_id from component c
  join device d on d.tenant_id = $2 and not d.is_deleted and (c.kind = 'Subscription' and d.subscription_id = c.id or c.kind = 'Location' and d.location_id = c.id
    or c.kind = 'Selection' and exists (select from selection_member m where m.device_selection_id = c.id and m.device_id = d.device_id))
  union all select c.at, b.entity_id, b.device_id, d.location_id from component c
  join block b on c.kind = 'Block' and b.block_id = c.id and b.tenant_id = $2 left join device d on d.device_id = b.device_id
)`;

// Units are found through their matches; which severities count, and when, follows from their record.
const unitsText = `with ${entities}, unit as (
  select work_unit_id, severity_id, state_id, created, case when state_id = any($3::text[]) then null else coalesce(resolved, modified) end as ended
  from work_unit where tenant_id = $2 and (state_id = any($3::text[]) or coalesce(resolved, modified) > $4::timestamptz)
), of_component as (
  select distinct e.at, u.work_unit_id from unit u join unit_match m on m.work_unit_id = u.work_unit_id and m.tenant_id = $2 join entity e on e.entity_id = m.subject_id
)
select c.at as place, u.severity_id as severity, u.state_id as state, (extract(epoch from u.created) * 1000)::float8 as created, (extract(epoch from u.ended) * 1000)::float8 as ended,
  (select coalesce(jsonb_agg(jsonb_build_object('field', n.field, 'before', n.old_value, 'after', n.new_value, 'at', (extract(epoch from n.created) * 1000)::float8)
    order by n.created, n.work_unit_note_id), '[]') from work_unit_note n where n.work_unit_id = u.work_unit_id and n.field in ('severityId', 'stateId')) as changes
from of_component c join unit u using (work_unit_id)`;

// What the page showed of public communications, until it showed something else of them.
const shownText = `select status, services, (extract(epoch from since) * 1000)::float8 as "from", (extract(epoch from until) * 1000)::float8 as "to" from (
  select status, services, since, lead(since) over (partition by work_unit_communication_id order by communication_shown_id) as until
  from communication_shown where tenant_id = $1
) s where status is not null and (until is null or until > $2::timestamptz)`;

const maintenanceText = `with ${entities}
select w.maintenance_window_id as id, array_agg(distinct e.at order by e.at) as ats, (extract(epoch from w.starts_at) * 1000)::float8 as "from", (extract(epoch from w.ends_at) * 1000)::float8 as "to"
from maintenance_window w join entity e on w.device_ids ? e.device_id::text or w.location_id = e.location_id
  or exists (select from maintenance_window_device x where x.maintenance_window_id = w.maintenance_window_id and x.device_id = e.device_id)
  or exists (select from selection_member x where x.device_selection_id = w.device_selection_id and x.device_id = e.device_id and x.since < w.ends_at)
where w.tenant_id = $2 and w.ends_at > $3::timestamptz and w.starts_at < $4::timestamptz
group by w.maintenance_window_id order by w.starts_at limit $5`;

const incidentsText = `select c.work_unit_communication_id::text as key, (extract(epoch from c.user_changed) * 1000)::float8 as changed, c.title, c.status, c.details, c.current_impact as impact, c.impacted_services as services,
  (extract(epoch from coalesce(c.event_started, c.created)) * 1000)::float8 as started,
  case when c.status = 'Resolved' then (extract(epoch from coalesce(c.event_resolved, c.user_changed)) * 1000)::float8 end as ended,
  case when c.status <> 'Resolved' then (extract(epoch from c.next_update) * 1000)::float8 end as "nextUpdate",
  (select coalesce(jsonb_agg(jsonb_build_object('at', (extract(epoch from coalesce(a.completed, a.modified)) * 1000)::float8, 'text', a.details, 'isDone', a.is_complete)
    order by coalesce(a.completed, a.modified) desc), '[]') from work_unit_communication_activity a
    where a.work_unit_communication_id = c.work_unit_communication_id and a.is_customer_facing) as updates
from work_unit_communication c
where c.tenant_id = $1 and c.is_public and c.status <> 'Cancelled' and (c.status <> 'Resolved' or coalesce(c.event_resolved, c.user_changed) > $2::timestamptz)
order by c.created desc limit 200`;

export interface ShownWindow {
  id: string;
  components: string[];
  from: number;
  to: number;
  ats: number[];
}

/** Returns the first `max` maintenance windows of a page's components that end after `since` and start before `until`. */
export async function readMaintenance(
  db: Db,
  { tenantId, components }: Pick<PublishedPage, 'tenantId' | 'components'>,
  since: Date,
  until: Date,
  max: number,
): Promise<ShownWindow[]> {
  const windows = await db.query<{ id: string; ats: number[]; from: number; to: number }>({
    name: 'status-maintenance',
    text: maintenanceText,
    values: [JSON.stringify(components), tenantId, since, until, max],
  });
  return windows.map((window) => ({ ...window, components: window.ats.map((place) => components[place]?.name ?? '') }));
}

interface ShownRow {
  status: string;
  services: string | null;
  from: number;
  to: number | null;
}

type IncidentRow = Omit<PublicIncident, 'components'> & { services: string | null };

/** Returns the names of the components that a text names, one per line or separated by commas. */
function namedIn(services: string | null, components: readonly StatusComponent[]): string[] {
  const names = new Set((services ?? '').split(/[\n,;]+/).map((name) => name.trim().toLowerCase()));
  return components.flatMap(({ name }) => (names.has(name.toLowerCase()) ? [name] : []));
}

const levelOfIncident = (status: string): Span['level'] => (status === 'ConfirmedImpact' ? 'Outage' : 'Degraded');

/** Reads what the page shows at the time `at`. `db` must be able to read the page's tenant. */
export async function readStatus(
  db: Db,
  page: Omit<PublishedPage, 'statusPageId' | 'address' | 'version'>,
  at: Date,
): Promise<PublicStatus> {
  const { tenantId, components, title, description } = page;
  const now = at.getTime();
  const shown = JSON.stringify(components);
  const firstDay = new Date(now - shownDays * dayMs);
  const [units, communicated, windows, incidents, [tenant]] = await Promise.all([
    db.query<UnitRecord & { place: number }>({ name: 'status-units', text: unitsText, values: [shown, tenantId, openStates, firstDay] }),
    db.query<ShownRow>({ name: 'status-shown', text: shownText, values: [tenantId, firstDay] }),
    readMaintenance(db, page, at, new Date(now + announcedMs), maxShown),
    db.query<IncidentRow>({ name: 'status-incidents', text: incidentsText, values: [tenantId, firstDay] }),
    db.query<{ created: number }>({
      name: 'status-since',
      text: 'select (extract(epoch from created) * 1000)::float8 as created from tenant where tenant_id = $1',
      values: [tenantId],
    }),
  ]);
  const publicIncidents = incidents.map(({ services, ...incident }): PublicIncident => ({
    ...incident,
    components: namedIn(services, components),
  }));
  const spans = [
    ...units.flatMap((unit) => spansOfUnit(unit).map((span) => ({ ...span, place: unit.place }))),
    ...communicated.flatMap(({ status, services, from, to }) => {
      const names = namedIn(services, components);
      return components.flatMap(({ name }, place) => (names.includes(name) ? [{ level: levelOfIncident(status), from, to, place }] : []));
    }),
  ];
  const since = Math.min(tenant?.created ?? now, ...publicIncidents.map(({ started }) => started), ...spans.map(({ from }) => from));
  const statuses = components.map(({ name }, place) => {
    const isInMaintenance = windows.some(({ ats, from }) => from <= now && ats.includes(place));
    return statusOf({ name, spans: spans.filter((span) => span.place === place), isInMaintenance }, now, since);
  });
  const open = publicIncidents.filter(({ status }) => status !== 'Resolved');
  return {
    title,
    description,
    level: worstOf([...statuses.map(({ level }) => level), ...(open.length > 0 ? (['Degraded'] as const) : [])]),
    components: statuses,
    open,
    past: publicIncidents.filter(({ ended }) => ended !== null && ended > now - pastDays * dayMs),
    maintenance: windows.map(({ components: names, from, to }) => ({ components: names, from, to })),
    at: now,
  };
}
