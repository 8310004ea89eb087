/** What the fixture of the upgrade test says about itself. */
export interface UpgradeFacts {
  userName: string;
  password: string;
  /** Holds Administrator in all tenants, and never ends. */
  token: string;
  /** Of an agent in `tenantId`. */
  probe: string;
  tenantId: string;
  deviceId: string;
  secret: { id: string; value: string };
  packagePath: string;
  /** In base64. */
  packageFile: string;
  /** Of a browser that was signed in. */
  cookies: [string, { value: string; path: string }][];
  refreshToken: string;
  /** What the released version answered, by path. */
  lists: Record<string, Record<string, unknown>[]>;
}

/** Lists that the released version answers and a later one must answer alike, but for fields that it adds. */
export const comparedLists = [
  '/v1/tenants?$orderby=name',
  '/v1/subscriptions',
  '/v1/locations',
  '/v1/devices',
  '/v1/packages',
  '/v1/packageVersions',
  '/v1/operations',
  '/v1/rules',
  '/v1/ruleMatches',
  '/v1/actionDefinitions',
  '/v1/actionHistories',
  '/v1/blocks',
  '/v1/protocols',
  '/v1/protocolActions',
  '/v1/controlSets',
  '/v1/workUnits?$expand=workUnitType',
  '/v1/workUnitNotes',
  '/v1/workUnitRelations',
  '/v1/packets',
  '/v1/people',
  '/v1/permissionSets?$orderby=name',
  '/v1/grants',
  '/v1/audit',
] as const;

/** The address of the server is part of the fixture, because people were signed in there. */
export const fixturePort = 9_599;
