/** The values of placeholders as a person reads them: states in their language, times in their zone, facts with their labels. */
import { readerAtAddress } from '../context/locale.ts';
import type { Db } from '../db/db.ts';
import { onlyRecipient } from '../platform/ack-links.ts';
import { readerOf, type TextReader } from '../platform/language.ts';
import { choiceTextFor } from '../platform/choice-text.ts';
import { mailTextsFor } from '../platform/mail-texts.ts';
import { momentText } from '../platform/times.ts';
import { newFiller, type PlaceholderValues } from './placeholders.ts';

const times = ['Created', 'FirstMatch', 'LastMatch', 'Expires', 'Closed', 'Timestamp'];
const choices = ['State', 'MatchState'];
/** Texts with lines of `Label: value`, which `factsOf` writes; the description of a unit that a rule has opened has them too. */
const facts = ['Facts', 'MoreFacts', 'PageFacts', 'Description'];

/** What says why the match holds. */
const cause = ['Condition', 'Seen'];

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

function factFor(reader: TextReader, line: string): string {
  const [, label = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
  const name = (mailTextsFor(reader).facts as Readonly<Record<string, string>>)[label];
  if (name === undefined) return line;
  return `${name}: ${isTime(value) ? momentText(reader, value) : value}`;
}

/** The person who alone gets a mail with these parameters. */
export async function readerOfMail(
  db: Db,
  parameters: PlaceholderValues,
  tenantEmail: string | null,
  values: PlaceholderValues,
): Promise<TextReader> {
  if (parameters['Cc'] || parameters['Bcc']) return readerOf(null);
  const address = onlyRecipient(newFiller(values).text(String(parameters['To'] || (tenantEmail ?? ''))));
  return address === null ? readerOf(null) : readerAtAddress(db, address);
}

/** The values with why the match holds as `spokenCause` says it: in the words of their only reader, also in the lines of facts. */
export function withCause(values: PlaceholderValues, spokenCause: PlaceholderValues): PlaceholderValues {
  const lines = new Map<string, string>(
    cause.flatMap((name) => (spokenCause[name] ? [[`${name}: ${values[name]}`, `${name}: ${spokenCause[name]}`] as const] : [])),
  );
  const spoken = (text: PlaceholderValues[string]) =>
    typeof text === 'string'
      ? text
          .split('\n')
          .map((line) => lines.get(line) ?? line)
          .join('\n')
      : text;
  const inFacts = facts.flatMap((name) => (name in values ? [[name, spoken(values[name])] as const] : []));
  const alone = cause.flatMap((name) => (spokenCause[name] ? [[name, spokenCause[name]] as const] : []));
  return { ...values, ...Object.fromEntries(inFacts), ...Object.fromEntries(alone) };
}

/** Whether a reader has chosen anything that changes how a text is written. */
const isAsWritten = ({ language, timeZone, format }: TextReader): boolean => language === 'en' && timeZone === null && format === null;

export function valuesFor(reader: TextReader, values: PlaceholderValues): PlaceholderValues {
  if (isAsWritten(reader)) return values;
  // Only lines that the server wrote itself: a person may write "Rule: ..." into a description.
  const lines = new Set(String(values['Facts'] ?? '').split('\n'));
  const written = (name: string, value: PlaceholderValues[string]): PlaceholderValues[string] => {
    if (typeof value !== 'string') return value;
    if (times.includes(name)) return isTime(value) ? momentText(reader, value) : value;
    if (choices.includes(name)) return choiceTextFor(reader, value);
    if (!facts.includes(name)) return value;
    return value
      .split('\n')
      .map((line) => (lines.has(line) ? factFor(reader, line) : line))
      .join('\n');
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(name, value)]));
}
