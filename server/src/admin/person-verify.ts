/** `person verify`: marks an email address as the person's own. */
import { UsageError, type AdminCommand } from './command.ts';
import { findPerson } from './find.ts';
import { recordChange } from './record.ts';

export const personVerify: AdminCommand = {
  name: 'person verify',
  about: "Marks a person's email address as verified, once you know that it is theirs: it finds their requests and gets their mails.",
  operand: { name: 'USER', about: 'User name, email or id.' },
  options: {},
  run: ({ db, operand }) =>
    db.transaction(async (tx) => {
      const { personId, userName } = await findPerson(tx, operand);
      const [row] = await tx.query<{ email: string | null; email_verified: boolean }>({
        text: 'select email, email_verified from person where person_id = $1 for update',
        values: [personId],
      });
      if (!row?.email) throw new UsageError(`${userName} has no email address.`);
      if (!row.email_verified) {
        await tx.query({
          text: 'update person set email_verified = true, modified = now(), version = version + 1 where person_id = $1',
          values: [personId],
        });
        await recordChange(tx, {
          verb: 'update',
          entity: 'people',
          entityId: personId,
          before: { emailVerified: false },
          after: { email: row.email, emailVerified: true },
        });
      }
      return { lines: [`${row.email} is verified as the address of ${userName}.`], json: { personId, userName, email: row.email } };
    }),
};
