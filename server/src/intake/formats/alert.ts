/** Alerts of any format as readings: a state that rules match, and the texts and links that a person wants to see. */
import { createHash } from 'node:crypto';
import type { SourceReading } from '../readings.ts';

export interface Alert {
  state: 'firing' | 'acknowledged' | 'resolved' | 'pending';
  severity: string | undefined;
  title: string;
  text: string | undefined;
  /** What names the alert, such as its labels. */
  labels: Readonly<Record<string, string>>;
  /** Labels that do not belong to the identity of the alert. */
  notInRest?: readonly string[];
  /** Addresses by what is there. */
  links?: Readonly<Record<string, string | undefined>>;
  properties?: Readonly<Record<string, string | number | boolean | undefined | null>>;
  metrics?: Readonly<Record<string, number>>;
  /** The parts of the id by which a repetition is known; without them each is an event of its own. */
  id?: readonly string[];
}

const levels: readonly [RegExp, string][] = [
  [/^(?:critical|crit|page|fatal|emerg(?:ency)?|alert|disaster|p[01]|sev[01])$/i, 'critical'],
  [/^(?:error|err|major|high|p2|sev2)$/i, 'error'],
  [/^(?:warn(?:ing)?|minor|medium|average|p3|sev3)$/i, 'warning'],
  [/^(?:info(?:rmation(?:al)?)?|notice|low|debug|none|p[45]|sev4)$/i, 'info'],
];

/** One word for the severities of all senders; a word that is not known stays as it is. */
export function levelOf(severity: string | undefined): string {
  const text = severity?.trim() ?? '';
  return levels.find(([pattern]) => pattern.test(text))?.[1] ?? (text === '' ? 'none' : text.toLowerCase());
}

const maxText = 4_000;
/** With more, the packet would have more keys than one may have, and the alert would be lost. */
const maxLabels = 200;

export const cut = (text: string): string => (text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text);

export const idOf = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('base64url');

/** The labels in one order, so that the same ones make the same text. */
export const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.keys(labels)
    .toSorted()
    .map((name) => `${name}=${labels[name]}`)
    .join(', ');

export function alertReading({
  state,
  severity,
  title,
  text,
  labels,
  notInRest,
  links = {},
  properties = {},
  metrics,
  id,
}: Alert): SourceReading {
  const level = levelOf(severity);
  const linkLines = Object.entries(links).flatMap(([name, url]) => (url ? [`${name}: ${url}`] : []));
  const allProperties: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(labels).slice(0, maxLabels)) allProperties[name] = cut(value);
  for (const [name, value] of Object.entries(properties))
    if (value !== undefined && value !== null && value !== '') allProperties[name] = value;
  allProperties['Title'] = cut(title);
  allProperties['Text'] = cut(text ?? '') || allProperties['Title'];
  allProperties['Links'] = cut(linkLines.join('\n')) || '-';
  return {
    labels,
    ...(notInRest ? { notInRest } : {}),
    ...(id ? { id: idOf(id) } : {}),
    message: {
      Value: state,
      States: { Alert: state, Severity: level },
      Properties: allProperties,
      ...(metrics && Object.keys(metrics).length > 0 ? { Metrics: { ...metrics } } : {}),
    },
  };
}
