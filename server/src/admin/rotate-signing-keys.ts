/** `rotate-signing-keys`: a new key signs the tokens of the embedded identity provider. */
import { masterKeysInUse } from '../auth/keys-in-use.ts';
import { loadMasterKey } from '../auth/master-key.ts';
import { rotateSigningKeys } from '../auth/provider/keys.ts';
import { commandLine } from './record.ts';
import type { AdminCommand } from './command.ts';

export const rotateKeys: AdminCommand = {
  name: 'rotate-signing-keys',
  about: 'Makes a new key that signs the tokens of the embedded identity provider. The previous one still verifies for a day.',
  options: {
    'forget-old': { type: 'boolean', about: 'The earlier keys are no longer valid: tokens that they signed are refused.' },
  },
  run: async ({ db, config, isSet }) => {
    const masterKey = await loadMasterKey({ ...config, inUse: await masterKeysInUse(db), log: { warn: (line) => console.error(line) } });
    const kid = await rotateSigningKeys(db, masterKey, { by: commandLine(), forgetOld: isSet('forget-old') });
    return { lines: [`The key ${kid} signs from now on; running servers use it.`], json: { kid } };
  },
};
