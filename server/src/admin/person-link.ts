/** `person link`: a new one-time link to choose a password. */
import { createOneTimeLink } from '../auth/sign-in/one-time-link.ts';
import { removeSecondFactors } from '../auth/sign-in/second-factor.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { findPerson } from './find.ts';
import { recordChange } from './record.ts';

export const personLink: AdminCommand = {
  name: 'person link',
  about: 'Prints a new link, good once and for an hour, by which a person chooses a password. Earlier links end.',
  operand: { name: 'USER', about: 'User name, email or id.' },
  options: {
    'remove-passkeys': {
      type: 'boolean',
      about: 'Also removes all passkeys and one-time codes, as when the device that held them is lost.',
    },
  },
  run: ({ db, config, operand, isSet }) =>
    db.transaction(async (tx) => {
      const person = await findPerson(tx, operand);
      if (!person.enabled) throw new UsageError(`${person.userName} is disabled.`);
      const link = await createOneTimeLink(tx, person.personId, config.publicUrl);
      const removed = isSet('remove-passkeys') ? await removeSecondFactors(tx, person.personId) : undefined;
      await recordChange(tx, {
        verb: 'update',
        entity: 'people',
        entityId: person.personId,
        after: {
          passwordLink: 'created',
          ...(removed?.passkeys ? { passkeysRemoved: removed.passkeys } : {}),
          ...(removed?.codes ? { codesRemoved: true } : {}),
        },
      });
      return {
        lines: [`Link for ${person.userName} to choose a password, good for one hour: ${link}`],
        json: { personId: person.personId, userName: person.userName, link },
      };
    }),
};
