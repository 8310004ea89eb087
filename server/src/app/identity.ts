/** Who signs people in: the embedded provider, or the one of the settings. */
import type { Logger } from 'pino';
import type { MasterKey } from '../auth/master-key.ts';
import { mountProvider } from '../auth/provider/mount.ts';
import { foreignIssuer } from '../auth/token-issuer.ts';
import type { Database } from '../db/connection.ts';
import type { Config } from '../platform/config.ts';
import { queueSignInMail } from './sign-in-mail.ts';

/** Returns the issuer of access tokens, and the provider to mount, if it is the embedded one. */
export async function identity(config: Config, database: Database, masterKey: MasterKey, log: Logger) {
  if (config.oidcAuthority) {
    const issuer = foreignIssuer({
      authority: config.oidcAuthority,
      audience: config.oidcAudience,
      groupsClaim: config.oidcGroupsClaim,
      trustsEmail: config.oidcTrustEmail,
      allow: config.outboundAllow,
      typ: null,
    });
    return { issuer, authority: config.oidcAuthority, provider: undefined };
  }
  const provider = await mountProvider({
    database,
    masterKey,
    log,
    publicUrl: config.publicUrl,
    audience: config.oidcAudience,
    clientId: config.oidcClientId,
    queueMail: queueSignInMail,
    outboundAllow: config.outboundAllow,
  });
  return { issuer: provider.issuer, authority: provider.issuer.issuer, provider };
}
