/** `person adopt`: moves a person of this installation into a directory, which signs them in from then on. */
import { invalidatePeople } from '../auth/invalidate.ts';
import { lockOut } from '../auth/sessions.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { findPerson } from './find.ts';
import { recordChange } from './record.ts';

export const personAdopt: AdminCommand = {
  name: 'person adopt',
  about: 'Moves a person into a directory, which signs them in and provisions them from then on. Their rights outside its tenants end.',
  operand: { name: 'USER', about: 'User name, email or id.' },
  options: { directory: { type: 'string', value: 'PREFIX', required: true, about: 'Name or prefix of the directory.' } },
  run: ({ db, operand, text }) =>
    db.transaction(async (tx) => {
      const { personId, userName } = await findPerson(tx, operand);
      const named = text('directory');
      const [directory] = await tx.query<{ directory_id: string; name: string }>({
        text: 'select directory_id, name from directory where prefix = lower($1) or lower(name) = lower($1) order by prefix = lower($1) desc limit 1',
        values: [named],
      });
      if (!directory) throw new UsageError(`There is no directory ${named}.`);
      const [state] = await tx.query<{ directory_id: string | null; is_emergency: boolean }>({
        text: 'select directory_id, is_emergency from person where person_id = $1 for update',
        values: [personId],
      });
      if (state?.is_emergency) throw new UsageError(`${userName} is an emergency account, which belongs to no directory.`);
      if (state?.directory_id && state.directory_id !== directory.directory_id)
        throw new UsageError(`${userName} belongs to another directory.`);
      const isNew = state?.directory_id !== directory.directory_id;
      if (isNew) {
        await tx.query({
          text: `update person set directory_id = $2, issuer = null, subject = null, claims = '{}', modified = now(), version = version + 1
            where person_id = $1`,
          values: [personId, directory.directory_id],
        });
        await lockOut(tx, personId);
        await recordChange(tx, { verb: 'update', entity: 'people', entityId: personId, after: { directory: directory.name } });
        await invalidatePeople(tx);
      }
      return {
        lines: [
          isNew ? `${userName} belongs to the directory ${directory.name} now.` : `${userName} belongs to ${directory.name} already.`,
        ],
        json: { personId, userName, directoryId: directory.directory_id },
      };
    }),
};
