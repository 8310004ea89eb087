/** `person disable`: locks a person out on all servers at once. */
import { invalidatePeople } from '../auth/invalidate.ts';
import { administers, requireAdministrators } from '../auth/administrators.ts';
import { lockOut } from '../auth/sessions.ts';
import type { AdminCommand } from './command.ts';
import { findPerson } from './find.ts';
import { recordChange } from './record.ts';

export const personDisable: AdminCommand = {
  name: 'person disable',
  about: 'Locks a person out, also where they are signed in. The person and their history stay.',
  operand: { name: 'USER', about: 'User name, email or id.' },
  options: {},
  run: ({ db, operand }) =>
    db.transaction(async (tx) => {
      const { personId, userName, enabled } = await findPerson(tx, operand);
      if (enabled) {
        await tx.query({
          text: 'update person set enabled = false, modified = now(), version = version + 1 where person_id = $1',
          values: [personId],
        });
        await requireAdministrators(tx, await administers(tx, personId));
        await lockOut(tx, personId);
        await recordChange(tx, {
          verb: 'update',
          entity: 'people',
          entityId: personId,
          before: { enabled: true },
          after: { enabled: false },
        });
        await invalidatePeople(tx);
      }
      return {
        lines: [enabled ? `${userName} was disabled.` : `${userName} was disabled already.`],
        json: { personId, userName, enabled: false },
      };
    }),
};
