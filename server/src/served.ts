/** Every served resource of this server. */
import { servedActionDefinitions, servedActionHistories } from './features/actions/actions.served.ts';
import { servedAudit } from './features/audit/audit.served.ts';
import { servedDevices, servedPackets } from './features/devices/devices.served.ts';
import { servedGrants, servedPeople, servedPermissionSets } from './features/people/people.served.ts';
import { servedFeatures } from './features/installation/features.served.ts';
import { servedRuleMatches, servedRules } from './features/rules/rules.served.ts';
import { servedLocations, servedSubscriptions } from './features/tenancy/tenancy.served.ts';
import { servedTenantSecrets } from './features/tenancy/secrets.served.ts';
import { servedTenants } from './features/tenancy/tenants.served.ts';
import { servedTokens } from './features/tokens/tokens.served.ts';
import { servedWorkUnitNotes, servedWorkUnits, servedWorkUnitTypes } from './features/work-units/work-units.served.ts';
import type { Served } from './resources/served.ts';

export const served: readonly Served[] = [
  servedTenants,
  servedSubscriptions,
  servedLocations,
  servedDevices,
  servedPackets,
  servedRules,
  servedRuleMatches,
  servedActionDefinitions,
  servedActionHistories,
  servedWorkUnits,
  servedWorkUnitTypes,
  servedWorkUnitNotes,
  servedPeople,
  servedPermissionSets,
  servedGrants,
  servedAudit,
  servedTokens,
  servedTenantSecrets,
  servedFeatures,
];
