/** Fields of entities with working hours: a time zone, hours on days of the week, holidays. */
import { z } from 'zod/mini';
import { f, once, type Field } from '../resource.ts';
import { isTimeZone } from '../rules/time-window.ts';

const clock = (name: string) => z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, `${name} is a time such as 08:00.`));

export const isDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

/** Hours on days of the week. */
export const restriction = () =>
  z.object({
    days: z
      .array(z.int().check(z.gte(0, 'A day is 0 (Sunday) to 6.'), z.lte(6, 'A day is 0 (Sunday) to 6.')))
      .check(z.minLength(1, 'Choose at least one day.'), z.maxLength(7, 'A week has seven days.')),
    from: clock('From').check(z.refine((text) => text !== '24:00', 'From is a time such as 08:00.')),
    to: clock('To'),
  });

/** Lets a field of text contain a time zone only. */
export const asTimeZone = (text: Field<string>): Field<string> => ({
  ...text,
  schema: once(() => text.schema().check(z.refine((zone) => isTimeZone(zone), 'This time zone is not known.'))),
});

export const timeZone = asTimeZone(f.text('Time zone', { required: true, initial: 'UTC', max: 100, help: 'Such as Europe/Berlin' }));

/** Local dates, as in 2026-12-25. */
export const holidays = f.json(
  'Holidays',
  () =>
    z
      .array(
        z
          .string()
          .check(
            z.regex(/^\d{4}-\d{2}-\d{2}$/, 'A holiday is a date such as 2026-12-25.'),
            z.refine(isDate, 'A holiday is a date such as 2026-12-25.'),
          ),
      )
      .check(z.maxLength(400, 'There are at most 400 holidays.')),
  { initial: [] as string[], input: 'multiline', help: 'Dates such as 2026-12-25, one per line' },
);
