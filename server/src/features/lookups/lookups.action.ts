/** Lookups for the shell and for forms. */
import * as declared from '@cloudfit/contract/actions/lookups.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { and, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { leftOperandLookup, occurrenceLookup, operatorLookup, ruleTypeLookup, timeZoneLookup } from '@cloudfit/contract/rules/lookups.ts';
import { rulePlaceholders } from '@cloudfit/contract/rules/placeholders.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { agentFolders, agentPlatforms, builtAgent, type AgentPlatform } from '../../platform/agent-files.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { list } from '../../resources/list.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { servedOf } from '../../resources/served.ts';
import { productLicenceKey } from './licence-file.ts';
import { licenceState } from './license.ts';

export interface LookupSettings {
  oidc: {
    authority: string;
    clientId: string;
    lifetime: number;
    scope: string;
    extraQueryParams: Record<string, string>;
    deviceClientId?: string;
  };
  version: string;
  environment: { name: string; color: string };
  /** The key that verifies the installed licence; the product's own key if absent. */
  licencePublicKey?: string | undefined;
  /** The address of the Windows agent, in place of the file that this server has. */
  agentDownloadUrl?: string | undefined;
  publicUrl: string;
}

/** Returns all enabled tenants in which the caller has any grant, whatever its permissions: the shell needs their names. */
const myTenants = implement(declared.tenantLookup, async (ctx) => {
  const rows = await ctx.db.query<{ tenantId: string; name: string }>({
    name: 'lookup-tenants',
    text: 'select tenant_id as "tenantId", name from tenant where enabled and ($1::uuid[] is null or tenant_id = any($1::uuid[])) order by name collate natural_order limit 5000',
    values: [ctx.tenants === 'all' ? null : [...ctx.tenants]],
  });
  return rows;
});

const mySubscriptions = implement(declared.subscriptionLookup, (ctx) =>
  ctx.db.query<{ subscriptionId: string; name: string; tenantId: string }>({
    name: 'lookup-subscriptions',
    text: 'select subscription_id as "subscriptionId", name, tenant_id as "tenantId" from subscription where $1::uuid[] is null or tenant_id = any($1::uuid[]) order by name collate natural_order limit 10000',
    values: [ctx.tenants === 'all' ? null : [...ctx.tenants]],
  }),
);

const allLocations = implement(declared.locationLookup, async (ctx) => {
  const page = await list(ctx, servedOf(locations), '$orderby=name&$top=1000', { select: ['locationId', 'name', 'tenantId'] });
  return page.value;
});

/** Returns the types of work units, without Legacy and with Request named User Request (API-031, API-032). */
const types = implement(declared.workUnitTypeLookup, (ctx) =>
  ctx.db.query<{ workUnitTypeId: number; name: string }>({
    text: `select work_unit_type_id as "workUnitTypeId", case name when 'Request' then 'User Request' else name end as name
    from work_unit_type where name <> 'Legacy' order by work_unit_type_id`,
  }),
);

async function findPeople(ctx: Ctx, searchTerm: string): Promise<{ personId: string; displayName: string; mail: string }[]> {
  if (searchTerm.trim().length < 2) return [];
  const term = searchTerm.trim();
  const filter = and(eq(people, 'enabled', true), or(contains(people, 'name', term), contains(people, 'userName', term)));
  const page = await list(ctx, servedOf(people), queryText<typeof people>({ filter, orderBy: 'name', top: 25 }), {
    select: ['personId', 'name', 'userName'],
  });
  return page.value.map(({ personId, name, userName }) => ({ personId, displayName: name, mail: userName }));
}

const peopleOnly = implement(declared.peopleLookup, (ctx, { searchTerm }) => findPeople(ctx, searchTerm));

const peopleAndGroups = implement(declared.peopleAndGroupsLookup, async (ctx, { searchTerm }) => {
  const matchingPeople = await findPeople(ctx, searchTerm);
  if (searchTerm.trim().length < 2) return matchingPeople;
  const scope = requireScope(ctx, 'People', 'view');
  const groups = await ctx.db.query<{ claim: string }>({
    name: 'lookup-groups',
    text: `select distinct claim from access_grant where claim is not null and ($2::uuid[] is null or tenant_id = any($2::uuid[]))
      and strpos(lower(claim), lower($1)) > 0 order by claim limit 25`,
    values: [searchTerm.trim(), scope === 'all' ? null : [...scope]],
  });
  return [...matchingPeople, ...groups.map(({ claim }) => ({ personId: null, displayName: claim, mail: '' }))];
});

/** Returns whether a feature is on, without a sign-in. A feature that does not exist is off. */
const featureEnabled = implement(declared.featureEnabled, async (ctx, { name }) => {
  const [row] = await ctx.db.query<{ enabled: boolean }>({
    name: 'feature-enabled',
    text: 'select enabled from feature where lower(name) = lower($1)',
    values: [name],
  });
  return row?.enabled ?? false;
});

export function lookupActions(settings: LookupSettings): readonly ImplementedAction[] {
  return [
    implement(declared.oidcClientConfig, () => settings.oidc),
    implement(declared.version, () => ({ version: settings.version })),
    implement(declared.environment, async (ctx) => ({
      environmentColor: settings.environment.color,
      environmentName: settings.environment.name,
      licenseExpiration: (await licenceState(ctx.db, settings.licencePublicKey ?? productLicenceKey, ctx.now())).expires,
    })),
    implement(declared.environmentColor, () => ({ environmentColor: settings.environment.color })),
    myTenants,
    mySubscriptions,
    allLocations,
    types,
    peopleOnly,
    peopleAndGroups,
    implement(declared.ruleTypeLookup, () => [...ruleTypeLookup]),
    implement(declared.operatorLookup, () => [...operatorLookup]),
    implement(declared.rulePlaceholderLookup, () => [...rulePlaceholders]),
    implement(declared.occurrenceLookup, () => occurrenceLookup.map(({ needs, ...row }) => ({ ...row, needs: [...needs] }))),
    implement(declared.timeZoneLookup, () => timeZoneLookup()),
    implement(declared.leftOperandLookup, (ctx, { ruleType, tenantId }) => {
      // The operands are the same for all tenants. A tenant outside the caller's scope is answered like one that does
      // not exist.
      if (tenantId !== undefined) requireTenant(ctx, tenantId);
      return leftOperandLookup(ruleType).map(({ operators, ...row }) => ({ ...row, operators: [...operators] }));
    }),
    featureEnabled,
    implement(declared.tenantSettings, async (ctx, { tenantId }) => {
      requireTenant(ctx, tenantId);
      const existing = await ctx.db.query({ text: 'select 1 from tenant where tenant_id = $1', values: [tenantId] });
      if (existing.length === 0) throw notFound('Tenant');
      const files = (await builtAgent(agentFolders))?.files ?? [];
      const urlOf = (platform: AgentPlatform) =>
        files.some((file) => file.platform === platform) ? `${settings.publicUrl}/agent/${agentPlatforms[platform]}` : null;
      const agents = Object.keys(agentPlatforms).map((platform) => ({
        platform: platform as AgentPlatform,
        url: urlOf(platform as AgentPlatform),
      }));
      return { agentDownloadUrl: settings.agentDownloadUrl ?? urlOf('win-x64'), agents };
    }),
  ];
}
