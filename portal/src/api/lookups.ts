/** Lookups of the shell and of forms, such as the person, permissions, tenants and types of work units. */
import { createContext, useCallback, useContext } from 'react';
import { useQuery, type QueryClient } from '@tanstack/react-query';
import type { AnyCall, CallInput } from '@cloudfit/contract/call.ts';
import {
  assignmentGroups,
  chooseContext,
  currentUser,
  currentUserPhoto,
  environment,
  featureEnabled,
  peopleLookup,
  permissionsOfCaller,
  subscriptionLookup,
  tenantLookup,
  tenantSettings,
  version,
  workUnitTypeLookup,
} from '@cloudfit/contract/calls.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { permission, viewMine, type Area, type Permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { browserStore } from './browser-store.ts';
import { sentBy } from '@cloudfit/contract/client/sent-call.ts';
import { call, callFile, callQuery } from './call.ts';
import { callJson } from './client.ts';
import { queryClient } from './query-client.ts';
import { isSignedIn } from './session.ts';
import { whenIdle } from './when-idle.ts';

export interface CurrentUser {
  personId: string;
  name: string;
  userName: string;
  tenantId: string | null;
  subscriptionId: string | null;
  /** SHA-256 of the photo; null: none. */
  photo?: string | null;
  /** Language and region. */
  locale?: Locale | null;
}
export interface TenantChoice {
  tenantId: string;
  name: string;
}
export interface SubscriptionChoice {
  subscriptionId: string;
  name: string;
  tenantId: string;
}
export interface WorkUnitTypeChoice {
  workUnitTypeId: number;
  name: string;
}
export interface PersonChoice {
  displayName: string;
  mail: string;
  personId?: string;
}

const minutes = 60_000;

export const currentUserKey = ['currentUser'];

const currentUserQuery = {
  queryKey: currentUserKey,
  // Whoever signs in to the portal is a person.
  queryFn: async () => (await call(currentUser, {}, { quiet: true })) as CurrentUser,
  staleTime: 5 * minutes,
};
export const useCurrentUser = () => useQuery({ ...currentUserQuery, enabled: isSignedIn() });

export const permissionsKey = ['permissions'];

/** The permissions of the last visit. With this guess, a page requests its content before the current permissions arrive. */
export const permissionsBefore = browserStore('permissionsBefore', (stored): readonly string[] =>
  Array.isArray(stored) ? stored.filter((entry): entry is string => typeof entry === 'string') : [],
);

async function fetchPermissions(): Promise<string[]> {
  const permissions = await call(permissionsOfCaller, {}, { quiet: true });
  permissionsBefore.set(permissions);
  return permissions;
}

export const permissionsQuery = { queryKey: permissionsKey, queryFn: fetchPermissions, staleTime: 5 * minutes };

/** The union of the permissions of the person's grants; a 403 means that the person has no access at all. */
export const usePermissions = () => useQuery({ ...permissionsQuery, select: toSet });

/** Whether the person may see only their own work units, so that the resolution center is their portal (PERM-029). */
export function seesOwnOnly(permissions: readonly string[]): boolean {
  return permissions.includes(viewMine) && !permissions.includes(permission('WorkUnits', 'view'));
}

const toSet = (list: string[]) => new Set(list);

/** What the person may do on this page; during an impersonation, only view. Undefined until the permissions arrive. */
export const KnownPermissions = createContext<ReadonlySet<string> | undefined>(undefined);

/** Whether the person has this permission, such as `overrideApproval`. */
export function useHas(permission: Permission): boolean {
  return useContext(KnownPermissions)?.has(permission) ?? false;
}

/** Whether the permissions have arrived. A read that depends on them waits, so that it is not sent twice. */
export const usePermissionsLoaded = () => useContext(KnownPermissions) !== undefined;

/** Returns a function that tells whether the person may do something; false while the permissions load. */
export function useMay(): (area: Area, verb: PermissionVerb) => boolean {
  const permissions = useContext(KnownPermissions);
  return useCallback((area, verb) => permissions?.has(permission(area, verb)) ?? false, [permissions]);
}

/** Returns whether the person may do something, for code outside of components; waits for the permissions. */
export async function mayNow(area: Area, verb: PermissionVerb): Promise<boolean> {
  return (await queryClient.fetchQuery(permissionsQuery)).includes(permission(area, verb));
}

/** Whether the person may do something in all tenants, as required for global rows; undefined while that loads. */
export function useMayEverywhere(area: Area, verb: PermissionVerb): boolean | undefined {
  const may = useContext(KnownPermissions)?.has(permission(area, verb));
  const { data } = useQuery({ ...lookup(permissionsOfCaller, { everywhere: 'true' }), enabled: may === true });
  return may && data?.includes(permission(area, verb));
}

function lookup<C extends AnyCall>(to: C, input: CallInput<C>, staleTime = 5 * minutes, together = false) {
  return { ...callQuery(to, input, { refreshedBy: 'lookup', together }), staleTime };
}

export const tenantsQuery = lookup(tenantLookup, {});
export const useTenants = () => useQuery(tenantsQuery);
/** Stale after a second: components that mount later refetch (API-023); those of the first render use what was prefetched. */
const subscriptionsQuery = lookup(subscriptionLookup, {}, 1_000);
export const useSubscriptions = () => useQuery(subscriptionsQuery);
export const useFeature = (name: string) => useQuery(lookup(featureEnabled, { name }));
const environmentQuery = lookup(environment, {});
export const useEnvironment = () => useQuery(environmentQuery);
export const useTenantSettings = (tenantId: string) => useQuery(lookup(tenantSettings, { tenantId }));

const versionQuery = lookup(version, {}, 60 * minutes);
export const useVersion = () => useQuery(versionQuery);

const workUnitTypesQuery = lookup(workUnitTypeLookup, {}, 60 * minutes);
export const useWorkUnitTypes = () => useQuery({ ...workUnitTypesQuery, select: relabel });
/** Removes the type Legacy, and labels the type Request "User Request". */
function relabel(types: WorkUnitTypeChoice[]): WorkUnitTypeChoice[] {
  return types
    .filter((type) => type.name !== 'Legacy')
    .map((type) => (type.name === 'Request' ? { ...type, name: en.workUnits.userRequest } : type));
}

export const assignmentGroupsQuery = (tenantId: string) => lookup(assignmentGroups, { id: tenantId }, 5 * minutes, true);

export function useAssignmentGroups(tenantId: string | null | undefined) {
  const { queryFn, ...query } = assignmentGroupsQuery(tenantId ?? '');
  // The choices load when the browser is idle, after the content that the form shows at once.
  return useQuery({ ...query, queryFn: (context) => whenIdle().then(() => queryFn(context)), enabled: Boolean(tenantId) });
}

export function searchPeople(searchTerm: string, signal?: AbortSignal): Promise<PersonChoice[]> {
  return call(peopleLookup, { searchTerm }, { signal, quiet: true });
}

async function fetchPhoto(): Promise<string | null> {
  try {
    const blob = await (await callFile(currentUserPhoto, {}, { quiet: true, accept: 'image/*' })).blob();
    return blob.size > 0 ? URL.createObjectURL(blob) : null;
  } catch {
    return null;
  }
}

/** The photo of the signed-in person as the address of an image; undefined without one, and until it has loaded. */
export function useOwnPhoto(): string | undefined {
  const { data: user } = useCurrentUser();
  const photo = user?.photo;
  const { data } = useQuery({ queryKey: ['photo', photo], queryFn: fetchPhoto, staleTime: Infinity, enabled: Boolean(photo) });
  return photo ? (data ?? undefined) : undefined;
}

/**
 * Prefetches, in parallel, what every page of a signed-in person shows. Resolves when the data that determines the layout
 * has loaded. Each call costs the browser about 5 ms, so the types of work units and the version are requested a moment
 * later.
 */
export async function prefetchShell(client: QueryClient): Promise<void> {
  const ask = (query: {
    queryKey: readonly unknown[];
    queryFn: (context: { signal: AbortSignal }) => Promise<unknown>;
    staleTime: number;
  }) => client.prefetchQuery(query);
  const layout = [permissionsQuery, currentUserQuery, tenantsQuery, environmentQuery].map(ask);
  void ask(subscriptionsQuery);
  setTimeout(() => {
    for (const query of [workUnitTypesQuery, versionQuery]) void ask(query);
  });
  await Promise.all(layout);
}

/** The tenant is in the body too (API-027). */
export function postContext(tenant: string, subscriptionId: string | null): Promise<unknown> {
  return callJson(sentBy(chooseContext, { tenant }).path, { method: 'POST', body: { tenant, subscriptionId } });
}
