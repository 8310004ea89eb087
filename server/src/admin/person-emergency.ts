/** `person emergency`: marks the account for when no directory can be reached. */
import { UsageError, type AdminCommand } from './command.ts';
import { findPerson } from './find.ts';
import { recordChange } from './record.ts';

export const personEmergency: AdminCommand = {
  name: 'person emergency',
  about:
    'Marks an emergency account, which signs in with a password here when no directory can be reached. Each use is told to the administrators.',
  operand: { name: 'USER', about: 'User name, email or id.' },
  options: { off: { type: 'boolean', about: 'Makes it a usual account again.' } },
  run: ({ db, operand, isSet }) =>
    db.transaction(async (tx) => {
      const { personId, userName, enabled } = await findPerson(tx, operand);
      const isEmergency = !isSet('off');
      if (isEmergency && !enabled) throw new UsageError(`${userName} is disabled.`);
      const [state] = await tx.query<{ is_emergency: boolean; directory: string | null; has_password: boolean }>({
        text: `select p.is_emergency, (select d.name from directory d where d.directory_id = p.directory_id) as directory,
            exists (select from sign_in_password s where s.person_id = p.person_id) as has_password
          from person p where p.person_id = $1 for update of p`,
        values: [personId],
      });
      if (isEmergency && state?.directory)
        throw new UsageError(
          `${userName} belongs to the directory ${state.directory}. Add a person of this installation: npm run admin -- person add.`,
        );
      if (state?.is_emergency !== isEmergency) {
        await tx.query({
          text: 'update person set is_emergency = $2, modified = now(), version = version + 1 where person_id = $1',
          values: [personId, isEmergency],
        });
        await recordChange(tx, {
          verb: 'update',
          entity: 'people',
          entityId: personId,
          before: { isEmergency: !isEmergency },
          after: { isEmergency },
        });
      }
      const lines = [`${userName} is ${isEmergency ? 'an emergency' : 'a usual'} account.`];
      if (isEmergency && !state?.has_password) lines.push(`It has no password yet: npm run admin -- person link ${userName}`);
      return { lines, json: { personId, userName, isEmergency } };
    }),
};
