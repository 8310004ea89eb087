/** `rotate-signing-keys`: a new key signs the tokens of the embedded identity provider from now on. */
import { loadMasterKey } from '../auth/master-key.ts';
import { rotateSigningKeys } from '../auth/provider/keys.ts';
import { commandLine } from './record.ts';
import type { Command } from './command.ts';

export const rotateKeys: Command = {
  name: 'rotate-signing-keys',
  about: 'Makes a new key that signs the tokens of the embedded identity provider. The one before still verifies for a day.',
  options: {},
  run: async ({ db, config }) => {
    const masterKey = await loadMasterKey({ ...config, log: { warn: (line) => console.error(line) } });
    const kid = await rotateSigningKeys(db, masterKey, { by: commandLine() });
    return { lines: [`The key ${kid} signs from now on; servers that run have taken it.`], json: { kid } };
  },
};
