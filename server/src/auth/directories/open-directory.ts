/** A directory as the sign-in reads it. */
import type { DirectoryKind } from '@cloudfit/contract/resources/directories.ts';
import type { Db } from '../../db/db.ts';

export interface OpenDirectory {
  directoryId: string;
  name: string;
  prefix: string;
  kind: DirectoryKind;
  enabled: boolean;
  mailDomains: string[];
  issuer: string | null;
  clientId: string | null;
  scope: string;
  groupsClaim: string;
  ldapUrl: string | null;
  startTls: boolean;
  bindDn: string | null;
  baseDn: string | null;
  userFilter: string;
  nestedGroups: boolean;
  certificate: string | null;
  provisionedOnly: boolean;
  hasButton: boolean;
}

const columns = `select directory_id as "directoryId", name, prefix, kind, enabled, mail_domains as "mailDomains", issuer, client_id as "clientId", scope,
  groups_claim as "groupsClaim", ldap_url as "ldapUrl", start_tls as "startTls", bind_dn as "bindDn", base_dn as "baseDn", user_filter as "userFilter",
  nested_groups as "nestedGroups", certificate, provisioned_only as "provisionedOnly", has_button as "hasButton" from directory`;

/** The directories by which people sign in; `db` must see all tenants. */
export function signInDirectories(db: Db): Promise<OpenDirectory[]> {
  return db.query<OpenDirectory>({
    name: 'sign-in-directories',
    text: `${columns} where enabled and kind in ('Oidc', 'Ldap') order by name, directory_id`,
  });
}

/** The directory to which the mail domain of a sign-in name belongs. */
export function directoryOfName(directories: readonly OpenDirectory[], userName: string): OpenDirectory | undefined {
  const at = userName.lastIndexOf('@');
  const domain = at < 0 ? '' : userName.slice(at + 1).toLowerCase();
  return directories.find(({ mailDomains }) => mailDomains.includes(domain));
}
