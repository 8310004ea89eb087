/** The provider's keys in this server's memory: reloaded when another server or the command line replaced them. */
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import type { Logger } from 'pino';
import type { Database } from '../../db/connection.ts';
import type { MasterKey } from '../master-key.ts';
import { loadProviderKeys, publicKey, rotateSigningKeys, signingKeysChannel, type ProviderKeys } from './keys.ts';

export interface Keyring {
  keys(): ProviderKeys;
  jwks(): JSONWebKeySet;
  /** Returns the key that signed a token; an unknown key is looked up in the database. */
  find: JWTVerifyGetKey;
  /** Replaces the signing key when it is due. */
  rotateWhenDue(): Promise<void>;
  close(): Promise<void>;
}

/** Minimum milliseconds between two reloads: tokens with an invented key id must not cause a query each. */
const reloadPauseMs = 1_000;

export async function openKeyring(options: {
  database: Database;
  masterKey: MasterKey;
  log: Logger;
  onChange: () => void;
}): Promise<Keyring> {
  const { database, masterKey, log, onChange } = options;
  const db = database.scoped('all');
  let keys = await loadProviderKeys(db, masterKey);
  let reloading: Promise<void> | undefined;
  let reloadedMs = 0;

  const jwks = (): JSONWebKeySet => ({ keys: keys.signing.map(publicKey) });
  let local = createLocalJWKSet(jwks());

  function reload(): Promise<void> {
    reloading ??= loadProviderKeys(db, masterKey)
      .then((loaded) => {
        const isSame = loaded.signing.map(({ kid }) => kid).join() === keys.signing.map(({ kid }) => kid).join();
        if (isSame) return;
        keys = loaded;
        local = createLocalJWKSet(jwks());
        onChange();
      })
      .finally(() => {
        reloading = undefined;
        reloadedMs = Date.now();
      });
    return reloading;
  }

  const stop = await database.listen(signingKeysChannel, () => {
    // Reloads after a reload that is running, because it may have started before the change.
    void (reloading ?? Promise.resolve())
      .then(reload)
      .catch((error: unknown) => log.warn({ err: error }, 'The signing keys could not be read.'));
  });

  return {
    keys: () => keys,
    jwks,
    find: async (header, token) => {
      try {
        return await local(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || Date.now() - reloadedMs < reloadPauseMs) throw error;
        await reload();
        return local(header, token);
      }
    },
    rotateWhenDue: async () => {
      await rotateSigningKeys(db, masterKey, { by: { kind: 'system', id: null, name: 'CloudFit' }, onlyWhenDue: true });
    },
    close: stop,
  };
}
