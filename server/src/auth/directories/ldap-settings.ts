import type { LdapSettings } from '../../outbound/ldap.ts';
import type { OpenDirectory } from './open-directory.ts';

/** What a connection to the LDAP server of a directory needs; `password` is that of the account that searches. */
export function ldapSettingsOf(
  directory: Pick<
    OpenDirectory,
    'ldapUrl' | 'startTls' | 'bindDn' | 'baseDn' | 'userFilter' | 'groupsClaim' | 'nestedGroups' | 'certificate'
  >,
  password: string,
): LdapSettings {
  const { ldapUrl, startTls, bindDn, baseDn, userFilter, groupsClaim, nestedGroups, certificate } = directory;
  return {
    url: ldapUrl ?? '',
    startTls,
    bindDn: bindDn ?? '',
    password,
    baseDn: baseDn ?? '',
    userFilter,
    // The claim that is set for OpenID Connect is no attribute of LDAP.
    groupsAttribute: groupsClaim === 'groups' ? 'memberOf' : groupsClaim,
    nestedGroups,
    certificate,
  };
}
