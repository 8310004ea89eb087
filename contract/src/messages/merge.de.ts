/** German texts of work units that are merged as duplicates and taken apart. */
import type * as english from './merge.en.ts';
import type { Texts } from './texts.ts';

const units = (n: number) => (n === 1 ? '1 Vorgang' : `${n} Vorgänge`);

export const mergeTexts: Texts<typeof english.mergeTexts> = {
  verb: 'Zusammenführen mit…',
  verbOfSeveral: 'Zu einem zusammenführen…',
  words: 'duplikat gleich zusammenführen verbinden',
  search: 'Vorgang, der bleibt',
  searchOf: (id) => `#${id} zusammenführen mit`,
  title: (first, n, into) => (n === 1 ? `#${first} mit #${into} zusammenführen` : `${units(n)} mit #${into} zusammenführen`),
  text: (n, id, title) =>
    `${n === 1 ? 'Er wird' : 'Sie werden'} als ${n === 1 ? 'Duplikat' : 'Duplikate'} von #${id} ${title} geschlossen; dort stehen dann auch ${n === 1 ? 'seine' : 'ihre'} Notizen, Verläufe und Treffer. Das lässt sich wieder trennen.`,
  yes: 'Zusammenführen',
  several: 'Die ausgewählten Vorgänge gehören mehreren Kunden. Zusammengeführt werden nur Vorgänge eines Kunden.',
  done: (n, id) => `${units(n)} mit #${id} zusammengeführt.`,
  isInto: 'Als Duplikat zusammengeführt mit',
  includes: 'Enthält das Duplikat',
  apart: 'Trennen',
  apartOf: (id) => `#${id} trennen`,
  apartQuestion: (id) => `#${id} erhält Status, Treffer und Beobachter zurück. Was seit dem Zusammenführen hinzukam, bleibt, wo es ist.`,
  apartDone: (id) => `#${id} wurde getrennt.`,
  entryOf: (id) => `von #${id}`,
};
