/** The German of messages of the API: each fixed message of the contract has one, and none that nobody writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { notFound, validationFailed } from '../errors.ts';
import { plainIssue } from '../plain-issues.ts';
import { germanMessages, germanOf } from './api-messages.de.ts';
import { shownError as german } from './api-texts.de.ts';
import { shownError as english } from './api-texts.en.ts';

const root = join(import.meta.dirname, '..');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !/^(messages|testing)\/|\.test\.ts$/.test(name))
  .map((name) => readFileSync(join(root, name), 'utf8'));

/** Where a message stands: in an issue, an error, or a check of a schema. */
const written =
  /(?:\b(?:message|error): |new RuleError\(|forbidden\(message = |\.(?:min|max|regex|int|positive|guid|base64)\((?:[^()'`]*, )?)'((?:[^'\\]|\\.)+)'/g;
const isSentence = (text: string): boolean => /^[A-Z].* .*\.$/.test(text) || /^Please |is required$/.test(text);

it('knows each fixed message of the contract', () => {
  const messages = new Set(sources.flatMap((source) => [...source.matchAll(written)].map(([, text = '']) => text)).filter(isSentence));
  expect(messages.size).toBeGreaterThan(100);
  expect([...messages].filter((text) => germanMessages[text] === undefined)).toEqual([]);
});

it('has no German for what no code says', () => {
  const all = sources.join('\n');
  expect(Object.keys(germanMessages).filter((text) => !all.includes(text))).toEqual([]);
});

it('writes the messages with values, with the same values', () => {
  const messageOf = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value, { error: (issue) => plainIssue(issue) }).error?.issues[0]?.message ?? '';
  const name = (type: z.ZodType) => z.object({ name: type });
  expect(
    [
      messageOf(z.string(), 5),
      messageOf(z.string().max(3), 'long'),
      messageOf(z.array(z.string()).min(1), []),
      messageOf(z.number().max(9), 10),
      messageOf(z.enum(['a', 'b']), 'c'),
      messageOf(name(z.number()), { name: 'x' }),
      messageOf(name(z.string()), {}),
      notFound('Tenant').message,
    ].map(germanOf),
  ).toEqual([
    'Muss ein Text sein.',
    'Muss höchstens 3 Zeichen haben.',
    'Muss mindestens 1 Eintrag haben.',
    'Muss höchstens 9 sein.',
    'Muss eines von a, b sein.',
    'name muss eine Zahl sein.',
    'name ist erforderlich.',
    'Mandant wurde nicht gefunden.',
  ]);
});

it('writes the messages of the server with their values, of which labels and other messages are in German too', () => {
  expect(
    [
      'The tenant Alder is disabled. Please ask an administrator of this installation.',
      'This work unit cannot be deleted while something else uses it.',
      '"a.txt" is empty.',
      'mara@example.com is disabled. Assign it to somebody else, or to nobody.',
      'A work unit has at most 50 files. Please put several into a zip.',
      'Work Unit was not found.',
      'rules[0]: Name is required.',
      'CloudFit: Nobody knows this.',
      'The filter must contain {name}, which stands for what the person enters.',
    ].map(germanOf),
  ).toEqual([
    'Der Mandant Alder ist deaktiviert. Bitte fragen Sie einen Administrator dieser Installation.',
    'Vorgang kann nicht gelöscht werden, solange etwas anderes es benutzt.',
    '"a.txt" ist leer.',
    'mara@example.com ist deaktiviert. Weisen Sie ihn jemand anderem oder niemandem zu.',
    'Ein Vorgang hat höchstens 50 Dateien. Bitte packen Sie mehrere in ein ZIP.',
    'Vorgang wurde nicht gefunden.',
    'rules[0]: Name ist erforderlich.',
    'CloudFit: Nobody knows this.',
    'Der Filter muss {name} enthalten, das für die Eingabe der Person steht.',
  ]);
});

it('is what the German portal shows, also of several problems; other messages stay', async () => {
  const { message, code, details } = validationFailed([
    { target: 'name', message: 'Please enter a rule name' },
    { target: 'tags', message: 'A tag has neither comma nor semicolon.' },
  ]);
  const error = { message, code, details };
  expect(await english(error)).toEqual(error);
  expect(await german(error)).toEqual({
    code,
    message: 'Bitte geben Sie einen Namen der Regel ein. Ein Tag enthält weder Komma noch Semikolon.',
    details: [
      { ...details[0], message: 'Bitte geben Sie einen Namen der Regel ein' },
      { ...details[1], message: 'Ein Tag enthält weder Komma noch Semikolon.' },
    ],
  });
  expect(await german({ message: 'Please enter a value.', code: 'Conflict' })).toMatchObject({
    message: 'Bitte geben Sie einen Wert ein.',
  });
  expect(await german({ message: 'The database is away just now' })).toMatchObject({ message: 'The database is away just now' });
});
