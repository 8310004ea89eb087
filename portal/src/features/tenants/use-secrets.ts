/** The secrets of a tenant: the list has names only; a value is read on demand. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Row } from '@cloudfit/contract/resource.ts';
import { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { callJson } from '../../api/client.ts';

export type Secret = Row<typeof tenantSecrets>;

const path = (tenantId: string, rest = '') => `/v1/tenants/${tenantId}/secrets${rest}`;

export function useSecrets(tenantId: string) {
  return useQuery({
    queryKey: [tenantSecrets.name, 'of', tenantId],
    queryFn: async ({ signal }) => (await callJson<{ value: Secret[] }>(path(tenantId), { signal })).value,
  });
}

export interface ListedSecretUse {
  secretId: string;
  usedBy: { kind: string; id: string; name: string | null }[];
  lastUse: { at: string; verb: string; by: string; purpose: string | null } | null;
}

/** The places that use each secret, and its last reading or use, for people who may edit the tenant. */
export function useSecretUses(tenantId: string, enabled: boolean) {
  return useQuery({
    queryKey: [tenantSecrets.name, 'uses', tenantId],
    queryFn: async ({ signal }) =>
      (await callJson<{ value: ListedSecretUse[] }>(`/v1/tenants/${tenantId}/secretUses`, { signal, quiet: true })).value,
    enabled,
  });
}

/** The server records each read of a value, so values are neither prefetched nor cached. */
export async function readSecret(tenantId: string, secretId: string): Promise<string> {
  return (await callJson<{ value: string }>(path(tenantId, `/${secretId}/versions/latest`))).value;
}

export interface SecretDraft {
  /** The secret that the form edits; undefined for a new secret. */
  of?: Secret;
  name: string;
  value: string;
  /** The limits of the secret's use; an empty text or list means that there is no limit. */
  allowedHosts: string;
  allowedActions: string[];
}

export const noSecret: SecretDraft = { name: '', value: '', allowedHosts: '', allowedActions: [] };

/** The initial values of the form of an existing secret. */
export function draftOf(secret: Secret): SecretDraft {
  const { name, allowedHosts, allowedActions } = secret;
  return { of: secret, name, value: '', allowedHosts: allowedHosts ?? '', allowedActions: allowedActions ?? [] };
}

const policyOf = ({ allowedHosts, allowedActions }: SecretDraft) => ({
  allowedHosts: allowedHosts.trim() === '' ? null : allowedHosts.trim(),
  allowedActions: allowedActions.length > 0 ? allowedActions : null,
});

export function isTouched(draft: SecretDraft): boolean {
  return JSON.stringify(draft) !== JSON.stringify(draft.of ? draftOf(draft.of) : noSecret);
}

export function useSecretWrites(tenantId: string) {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: [tenantSecrets.name] });
  const save = useMutation({
    mutationFn: (draft: SecretDraft) => {
      const { of, name, value } = draft;
      const body = { ...(value === '' ? {} : { value }), ...policyOf(draft) };
      return of
        ? callJson(path(tenantId, `/${of.id}`), { method: 'POST', body })
        : callJson(path(tenantId), { method: 'PUT', body: { name, ...body } });
    },
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: (secret: Secret) => callJson<undefined>(path(tenantId, `/${secret.id}`), { method: 'DELETE' }),
    onSuccess,
  });
  return { save, remove };
}
