/** When the licence ends: as the installed file says, otherwise 60 days after the first start. */
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { productLicenceKey, readLicence, type Licence } from './licence-file.ts';

const trialDays = 60;
const settingName = 'licence';

/** Remembers the time of the first start; called once by main. */
export async function rememberFirstStart(ctx: Ctx): Promise<void> {
  await ctx.db.query({
    text: "insert into setting (name, value) values ('firstStart', to_jsonb($1::text)) on conflict do nothing",
    values: [ctx.now().toISOString()],
  });
}

/** Stores the licence of a file's text; returns undefined, and stores nothing, if the text is no licence of this product. */
export async function keepLicence(db: Db, text: string, publicKey: string | undefined): Promise<Licence | undefined> {
  const licence = readLicence(text, publicKey ?? productLicenceKey);
  if (!licence) return undefined;
  await db.query({
    text: 'insert into setting (name, value) values ($1, to_jsonb($2::text)) on conflict (name) do update set value = excluded.value',
    values: [settingName, text.trim()],
  });
  return licence;
}

export interface LicenceState {
  expires: string;
  /** Absent during the trial. */
  licence: Licence | undefined;
}

export async function licenceState(db: Db, publicKey: string, now: Date): Promise<LicenceState> {
  const [row] = await db.query<{ first: string | null; file: string | null }>({
    name: 'licence',
    text: 'select first_start() as first, licence_file() as file',
  });
  const licence = row?.file ? readLicence(row.file, publicKey) : undefined;
  if (licence) return { expires: new Date(licence.expires).toISOString(), licence };
  const first = row?.first ? Date.parse(row.first) : now.getTime();
  return { expires: new Date(first + trialDays * 86_400_000).toISOString(), licence: undefined };
}

/** Returns when the licence or the trial ends, for the page of the installation. */
export async function licenceEnd(db: Db, publicKey: string | undefined, now: Date): Promise<{ isTrial: boolean; expires: string }> {
  const { expires, licence } = await licenceState(db, publicKey ?? productLicenceKey, now);
  return { isTrial: licence === undefined, expires };
}
