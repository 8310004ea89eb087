/** Lookups of the shell and of forms. */
import * as declared from '@cloudfit/contract/actions/lookups.ts';
import { leftOperandLookup, occurrenceLookup, operatorLookup, ruleTypeLookup, timeZoneLookup } from '@cloudfit/contract/rules/lookups.ts';
import { implement, type Implemented } from '../../resources/action.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';
import { licenseExpiration } from './license.ts';

export interface LookupSettings {
  oidc: { authority: string; clientId: string; lifetime: number; scope: string; extraQueryParams: Record<string, string> };
  version: string;
  environment: { name: string; color: string };
}

/** Lookups that show whatever the caller's grants reach, whatever they permit there: the shell needs the names. */
const myTenants = implement(declared.tenantLookup, async (ctx) => {
  const rows = await ctx.db.query<{ tenantId: string; name: string }>({
    name: 'lookup-tenants',
    text: 'select tenant_id as "tenantId", name from tenant where enabled and ($1::uuid[] is null or tenant_id = any($1::uuid[])) order by name limit 5000',
    values: [ctx.tenants === 'all' ? null : [...ctx.tenants]],
  });
  return rows;
});

const mySubscriptions = implement(declared.subscriptionLookup, (ctx) =>
  ctx.db.query<{ subscriptionId: string; name: string; tenantId: string }>({
    name: 'lookup-subscriptions',
    text: 'select subscription_id as "subscriptionId", name, tenant_id as "tenantId" from subscription where $1::uuid[] is null or tenant_id = any($1::uuid[]) order by name limit 10000',
    values: [ctx.tenants === 'all' ? null : [...ctx.tenants]],
  }),
);

const allLocations = implement(declared.locationLookup, async (ctx) => {
  const page = await list(ctx, servedOf('locations'), '$select=locationId,name,tenantId&$orderby=name&$top=1000');
  return page.value as { locationId: string; name: string; tenantId: string | null }[];
});

/** Without Legacy, and Request as User Request (API-031, API-032). */
const types = implement(declared.workUnitTypeLookup, (ctx) =>
  ctx.db.query<{ workUnitTypeId: number; name: string }>({
    text: `select work_unit_type_id as "workUnitTypeId", case name when 'Request' then 'User Request' else name end as name
    from work_unit_type where name <> 'Legacy' order by work_unit_type_id`,
  }),
);

const people = implement(declared.peopleLookup, async (ctx, { searchTerm }) => {
  if (searchTerm.trim().length < 2) return [];
  const literal = searchTerm.trim().toLowerCase().replaceAll("'", "''");
  const filter = `enabled eq true and (contains(tolower(name),'${literal}') or contains(tolower(userName),'${literal}'))`;
  const page = await list(
    ctx,
    servedOf('people'),
    `$filter=${encodeURIComponent(filter)}&$select=personId,name,userName&$orderby=name&$top=25`,
  );
  return page.value.map((p) => ({ personId: String(p['personId']), displayName: String(p['name']), mail: String(p['userName']) }));
});

/** Actions that answer from settings, and those that answer from the database. */
export function lookupActions(settings: LookupSettings): readonly Implemented[] {
  return [
    implement(declared.oidcClientConfig, () => settings.oidc),
    implement(declared.version, () => ({ version: settings.version })),
    implement(declared.environment, async (ctx) => ({
      environmentColor: settings.environment.color,
      environmentName: settings.environment.name,
      licenseExpiration: await licenseExpiration(ctx),
    })),
    implement(declared.environmentColor, () => ({ environmentColor: settings.environment.color })),
    myTenants,
    mySubscriptions,
    allLocations,
    types,
    people,
    implement(declared.ruleTypeLookup, () => [...ruleTypeLookup]),
    implement(declared.operatorLookup, () => [...operatorLookup]),
    implement(declared.occurrenceLookup, () => [...occurrenceLookup]),
    implement(declared.timeZoneLookup, () => timeZoneLookup()),
    implement(declared.leftOperandLookup, (_ctx, { ruleType }) => leftOperandLookup(ruleType)),
    // No feature is switched on yet; an unknown one is off.
    implement(declared.featureEnabled, () => false),
  ];
}
