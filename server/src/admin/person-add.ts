/** `person add`: a person who signs in with a password of this installation. */
import { signInTexts } from '@cloudfit/contract/messages/sign-in.en.ts';
import { normalText, oneLine } from '@cloudfit/contract/one-line.ts';
import { hashPassword, passwordFault } from '../auth/sign-in/passwords.ts';
import { createOneTimeLink, setPassword } from '../auth/sign-in/one-time-link.ts';
import { UsageError, type AdminCommand } from './command.ts';
import { recordChange } from './record.ts';

export const personAdd: AdminCommand = {
  name: 'person add',
  about: 'Adds a person. Prints a link, good once and for an hour, by which they choose their password.',
  options: {
    email: { type: 'string', value: 'ADDRESS', required: true, about: 'Email address; also the user name.' },
    name: { type: 'string', value: 'NAME', required: true, about: 'Full name.' },
    'password-stdin': { type: 'boolean', about: 'Read the password from the standard input instead of printing a link.' },
  },
  run: async ({ db, config, text, isSet, readInput }) => {
    const email = normalText(text('email'));
    const name = oneLine(text('name'));
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320) throw new UsageError(`${email} is not an email address.`);
    if (name === '') throw new UsageError('The name is empty.');
    const password = isSet('password-stdin') ? (await readInput()).replace(/\r?\n$/, '') : undefined;
    const fault = password === undefined ? undefined : passwordFault(password, email);
    if (fault) throw new UsageError(signInTexts.newPasswordFaults[fault]);
    const hash = password === undefined ? undefined : await hashPassword(password);
    return db.transaction(async (tx) => {
      const [sameName] = await tx.query({ text: 'select 1 from person where lower(user_name) = lower($1)', values: [email] });
      if (sameName) throw new UsageError(`A person with the user name ${email} exists already.`);
      const [row] = await tx.query<{ person_id: string }>({
        text: 'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, true) returning person_id',
        values: [name, email],
      });
      const personId = String(row?.person_id);
      await recordChange(tx, {
        verb: 'create',
        entity: 'people',
        entityId: personId,
        after: { personId, name, userName: email, email, enabled: true },
      });
      if (hash !== undefined) await setPassword(tx, personId, hash);
      const link = hash === undefined ? await createOneTimeLink(tx, personId, config.publicUrl) : undefined;
      return {
        lines: [
          `${name} (${email}) was added. Give them access with: npm run admin -- grant --person ${email} ...`,
          ...(link ? [`Link to choose a password, good for one hour: ${link}`] : []),
        ],
        json: { personId, userName: email, ...(link ? { link } : {}) },
      };
    });
  },
};
