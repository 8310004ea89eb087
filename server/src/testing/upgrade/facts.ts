/** The fixture of the upgrade test: what it contains, the lists to compare, and the port of its server. */
export interface UpgradeFacts {
  userName: string;
  password: string;
  /** A token of an administrator of all tenants, without expiry. */
  token: string;
  /** A token by which programs send packets of `tenantId`. */
  probe: string;
  tenantId: string;
  deviceId: string;
  secret: { id: string; value: string };
  packagePath: string;
  /** In base64. */
  packageFile: string;
  /** The cookies of a signed-in browser. */
  cookies: [string, { value: string; path: string }][];
  refreshToken: string;
  /** The answers of the released version, by path. */
  lists: Record<string, Record<string, unknown>[]>;
}

/** Lists of the released version. Later versions must give the same answers, except for additional fields and shipped rows. */
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

/** Port of the fixture's server. The sessions of the fixture are valid only at the address with this port. */
export const fixturePort = 9_599;
