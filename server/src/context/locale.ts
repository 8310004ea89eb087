/** What people chose about language and region in the portal, and what it showed them. */
import { noLocale } from '@cloudfit/contract/messages/language.ts';
import type { Db } from '../db/db.ts';
import { readerOf, type Language, type StoredLocale, type TextReader } from '../platform/language.ts';

interface LocaleRow {
  locale: StoredLocale | null;
}

/** The choice of one person; nothing chosen for somebody who is not there. */
export async function localeOf(db: Db, personId: string | null | undefined): Promise<StoredLocale> {
  if (!personId) return noLocale;
  const [person] = await db.query<LocaleRow>({
    name: 'locale-of-person',
    text: 'select locale from person where person_id = $1',
    values: [personId],
  });
  return { ...noLocale, ...person?.locale };
}

/** For whom a mail to this address is written: the one person who has it; nobody whose choice is known for any other address. */
export async function readerAtAddress(db: Db, address: string, otherwise: Language = 'en'): Promise<TextReader> {
  const [person, ...others] = await db.query<LocaleRow>({
    name: 'locale-at-address',
    text: 'select locale from person where enabled and lower(email) = $1 limit 2',
    values: [address.trim().toLowerCase()],
  });
  return readerOf(others.length === 0 ? person?.locale : undefined, otherwise);
}

/** Stores the language that the portal shows a person who has chosen none, if it is another than before. */
export async function rememberShown(db: Db, personId: string, shown: Language): Promise<void> {
  await db.query({
    name: 'locale-shown',
    text: `update person set locale = coalesce(locale, '{}') || jsonb_build_object('shown', $2::text)
      where person_id = $1 and locale ->> 'language' is null and locale ->> 'shown' is distinct from $2`,
    values: [personId, shown],
  });
}
