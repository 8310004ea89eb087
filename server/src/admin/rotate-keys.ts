/** `rotate-keys`: encrypts the data keys of all secrets with a new master key. */
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey, masterKeyPath } from '../auth/master-key.ts';
import { addMasterKey, forgetMasterKeys, rewrapAll } from '../auth/rotate-master-key.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

export const rotateMasterKey: AdminCommand = {
  name: 'rotate-keys',
  about:
    'Puts a new master key in front of the key file and wraps the keys of all secrets with it. Servers may run meanwhile. Earlier keys stay in the file: earlier backups need them.',
  options: {
    'no-new-key': { type: 'boolean', about: 'Make no key: wrap everything with the first one that is there.' },
    'forget-unused': { type: 'boolean', about: 'Then remove the keys that nothing in the database needs from the file.' },
  },
  run: async ({ db, config, isSet }) => {
    const file = masterKeyPath(config);
    return db.transaction(async (tx) => {
      const [lock] = await tx.query<{ got: boolean }>({ text: `select pg_try_advisory_xact_lock(${advisoryLocks.keyRotation}) as got` });
      if (!lock?.got) throw new UsageError('Another rotation of keys is under way.');
      const inUse = await masterKeysInUse(tx);
      const masterKey = await loadMasterKey({ ...config, inUse, log: { warn: (line) => console.error(line) } });
      const isUnfinished = inUse.some((id) => id !== masterKey.ids()[0]);
      const makesKey = !isUnfinished && !isSet('no-new-key');
      if (makesKey && file === undefined)
        throw new UsageError(
          'MASTER_KEY is set: put a new key in front of it, separated by a comma, restart all servers, and run this again.',
        );
      if (file === undefined && isSet('forget-unused'))
        throw new UsageError('--forget-unused needs a key file; take keys out of MASTER_KEY by hand.');
      if (makesKey && file) await addMasterKey(file);
      const rewrapped = await rewrapAll(tx, masterKey);
      const [kid = '', ...earlier] = masterKey.ids();
      const forgotten = file && isSet('forget-unused') ? await forgetMasterKeys(file, earlier) : [];
      await recordChange(tx, { verb: 'update', entity: 'masterKeys', entityId: kid, after: { rewrapped, madeKey: makesKey, forgotten } });
      const remainingKeys = earlier.filter((id) => !forgotten.includes(id));
      return {
        lines: [
          makesKey
            ? `The master key ${kid} was made.`
            : isUnfinished
              ? `An earlier rotation to the master key ${kid} was finished; run this again for a new key.`
              : `The master key is ${kid}.`,
          `It wraps ${rewrapped} more ${rewrapped === 1 ? 'secret' : 'secrets'}. Keep a copy of ${file ?? 'MASTER_KEY'} apart from the backups.`,
          ...(remainingKeys.length > 0 ? [`Earlier backups need the earlier keys, which are kept: ${remainingKeys.join(', ')}.`] : []),
          ...(forgotten.length > 0 ? [`Taken out of the file: ${forgotten.join(', ')}.`] : []),
        ],
        json: { kid, madeKey: makesKey, rewrapped, kept: remainingKeys, forgotten },
      };
    });
  },
};
