/** What directories need of the process: the master key, and connections to providers. */
import type { Logger } from 'pino';
import { readDirectorySecret } from '../auth/directories/directory-secret.ts';
import { ldapSettingsOf } from '../auth/directories/ldap-settings.ts';
import { directoryProviders, ProviderFailed } from '../auth/directories/oidc.ts';
import { followDirectories } from '../auth/directories/follow-directories.ts';
import type { MasterKey } from '../auth/master-key.ts';
import type { DirectoryParts } from '../features/directories/directories.action.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { LdapFailed, ldapClient } from '../outbound/ldap.ts';

/** `allow`: private networks and hosts where providers and LDAP servers may be. */
export function directoryParts(options: { masterKey: MasterKey; publicUrl: string; allow: readonly string[] }): DirectoryParts {
  const { masterKey } = options;
  const providers = directoryProviders(options);
  const ldap = ldapClient(options);
  const works = (message: string) => ({ works: true, message });
  const fails = (message: string) => ({ works: false, message });

  return {
    masterKey,
    tryDirectory: async (ctx, directory, userName) => {
      if (directory.kind === 'None')
        return works('People of this directory sign in as others of this installation do, so there is nothing to try.');
      const secret = await readDirectorySecret(ctx.db, masterKey, directory.directoryId);
      try {
        if (directory.kind === 'Oidc') {
          const answer = await providers.attempt(directory);
          return secret === undefined ? fails(`${answer} The client secret is missing: please store it.`) : works(answer);
        }
        if (secret === undefined) return fails(`Please store the password of the account ${directory.bindDn ?? ''} first.`);
        const person = await ldap.find(ldapSettingsOf(directory, secret), userName ?? 'nobody');
        if (userName === undefined) return works('The server answers, and the account may search.');
        if (!person)
          return fails(
            `The server answers. It finds nobody by the name ${userName}: please check the filter, and below what people are searched.`,
          );
        return works(
          `${person.dn}: ${person.userNames.join(', ')}. Groups: ${person.groups.length === 0 ? 'none' : person.groups.slice(0, 50).join(', ')}.`,
        );
      } catch (error) {
        if (error instanceof ProviderFailed || error instanceof LdapFailed) return fails(error.message);
        throw error;
      }
    },
  };
}

/** Ends the access of people whom a directory no longer lets in, within minutes. */
export function followDirectoriesWork(options: { masterKey: MasterKey; allow: readonly string[]; log: Logger }): Periodic {
  const { masterKey, log } = options;
  const ldap = ldapClient(options);
  return { name: 'directories', everyMs: 120_000, run: (db) => followDirectories(db, { masterKey, ldap, log }) };
}
