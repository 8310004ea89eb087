/** The form of a secret of a tenant. */
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { changeTenantSecret, createTenantSecret, type listSecretUses } from '@cloudfit/contract/calls.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { call } from '../../api/call.ts';

export type Secret = Row<typeof tenantSecrets>;

export type ListedSecretUse = CallOutput<typeof listSecretUses>['value'][number];

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

/** Stores a new secret, or what the form changes of one. */
export function saveSecret(tenantId: string, draft: SecretDraft) {
  const { of, name, value } = draft;
  const values = { id: tenantId, ...policyOf(draft) };
  if (!of) return call(createTenantSecret, { ...values, name, value });
  return call(changeTenantSecret, { ...values, secretId: of.id, value: value === '' ? undefined : value });
}
