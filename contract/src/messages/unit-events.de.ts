/** What the server writes in English into feeds and inboxes, in German. A sentence that is not here is shown as it was written. */
import type * as english from './unit-events.en.ts';
import { choiceText } from './choices.de.ts';

const labels: Readonly<Record<string, string>> = {
  State: 'Zustand',
  Severity: 'Schweregrad',
  'Approved 1 by': 'Genehmigt (1) von',
  'Approved 2 by': 'Genehmigt (2) von',
};
const promises: Readonly<Record<string, string>> = {
  'to acknowledge': 'zum Bestätigen',
  'to the first answer': 'bis zur ersten Antwort',
  'to resolve': 'zum Lösen',
  'to the next update': 'bis zur nächsten Nachricht',
};
const value = (text: string): string => (text === 'empty' ? 'leer' : choiceText(text));

/** Who is told of a call back, as the end of a sentence. */
function toldText(whom: string | undefined): string {
  const names = /^(.+) (?:is|are) told\.$/.exec(whom ?? '')?.[1];
  if (names !== undefined) return ` Benachrichtigt: ${names}.`;
  return whom ? ' Von denen, die dafür Bereitschaft haben, konnte niemand benachrichtigt werden.' : '';
}

type EventSentence = readonly [RegExp, (...parts: string[]) => string];

const sentences: readonly EventSentence[] = [
  [/^Taken apart from #(\d+)\.$/, (n) => `Von #${n} getrennt.`],
  [/^#(\d+) was taken apart from this work unit\.$/, (n) => `#${n} wurde von diesem Vorgang getrennt.`],
  [
    /^Opened by the rule (.+?)\. It still matches after its work unit has ended\.$/,
    (rule) => `Durch die Regel ${rule} eröffnet. Sie trifft weiter zu, obwohl ihr Vorgang beendet ist.`,
  ],
  [/^Opened by the rule (.+)\.$/, (rule) => `Durch die Regel ${rule} eröffnet.`],
  [/^Opened again: the rule (.+) still matches\.$/, (rule) => `Wieder geöffnet: Die Regel ${rule} trifft weiter zu.`],
  [/^Opened by a test of the action Create Work Unit\.$/, () => 'Durch einen Test der Aktion „Create Work Unit“ eröffnet.'],
  [
    /^Service level (.+) breached: the (\d+) min (to [a-z ]+) are over\.$/,
    (level, n, what) => `Servicelevel ${level} verletzt: Die ${n} min ${promises[what] ?? what} sind vorbei.`,
  ],
  [
    /^Service level (.+): (\d+) % of the (\d+) min (to [a-z ]+) have passed\.$/,
    (level, share, n, what) => `Servicelevel ${level}: ${share} % der ${n} min ${promises[what] ?? what} sind vorbei.`,
  ],
  [
    /^Severity raised from (\w+) to (\w+): unexpected during change #(\d+)\.$/,
    (from, to, n) => `Schweregrad von ${from} auf ${to} erhöht: unerwartet während der Änderung #${n}.`,
  ],
  [/^Unexpected during change #(\d+): (#\d+ .+)$/s, (n, unit) => `Unerwartet während der Änderung #${n}: ${unit}`],
  [
    /^Unanswered: all steps for New have run, and nobody has acknowledged\.$/,
    () => 'Unbeantwortet: Alle Schritte für Neu sind gelaufen, und niemand hat bestätigt.',
  ],
  [/^Nobody works on it: the steps for New run again\.$/, () => 'Niemand arbeitet daran: Die Schritte für Neu laufen noch einmal.'],
  [/^Change Request approved by approver (\d), (.+)$/s, (slot, rest) => `Änderungsantrag durch Genehmiger ${slot} genehmigt, ${rest}`],
  [/^Change Request declined by approver (\d), (.+)$/s, (slot, rest) => `Änderungsantrag durch Genehmiger ${slot} abgelehnt, ${rest}`],
  [/^Acknowledged by the link of a message\.$/, () => 'Über den Link einer Nachricht bestätigt.'],
  [/^Acknowledged by the link that was mailed to (.+)\.$/, (to) => `Über den Link bestätigt, der an ${to} gesendet wurde.`],
  [/^(.+) asks to be called back at (.+)\.$/, (who, phone) => `${who} bittet um einen Rückruf unter ${phone}.`],
  [/^(.+) asks to be called back\.$/, (who) => `${who} bittet um einen Rückruf.`],
  [/^Takes the call back that the customer asked for\.$/, () => 'Übernimmt den Rückruf, um den der Kunde gebeten hat.'],
  [
    /^The time of the call back is over: nobody has taken it\.(?: (.+))?$/,
    (whom) => `Die Zeit für den Rückruf ist vorbei: Niemand hat ihn übernommen.${toldText(whom)}`,
  ],
  [
    /^The time of the call back is over: (.+?) has taken it and not closed it\.(?: (.+))?$/,
    (who, whom) => `Die Zeit für den Rückruf ist vorbei: ${who} hat ihn übernommen und nicht abgeschlossen.${toldText(whom)}`,
  ],
  [/^Call back: (.+ told\.)$/, (whom) => `Rückruf:${toldText(whom)}`],
  [/^The match of the rule (.+) has ended\.$/, (rule) => `Der Treffer der Regel ${rule} ist beendet.`],
  [/^The match of a deleted rule has ended\.$/, () => 'Der Treffer einer gelöschten Regel ist beendet.'],
  [/^Linked to WUCOMM #(\d+)\.$/, (n) => `Mit WUCOMM #${n} verknüpft.`],
  [/^No longer linked to WUCOMM #(\d+)\.$/, (n) => `Nicht mehr mit WUCOMM #${n} verknüpft.`],
  [/^The file (.+) was deleted\.$/, (name) => `Die Datei ${name} wurde gelöscht.`],
];

const change = /(?:^| )([A-Z][\w ]*?) changed(?: from (.+?))? to (.+?)\.(?= |$)/g;

/** Several changes of one moment are told as one sentence each. */
function changesText(detail: string): string {
  const changes = [...detail.matchAll(change)];
  if (changes.map(([all]) => all).join('') !== detail || changes.some(([, label = '']) => labels[label] === undefined)) return detail;
  return changes
    .map(([, label = '', from = '', to = '']) => `${labels[label] ?? label}: ${from === '' ? '' : `${value(from)} `}→ ${value(to)}.`)
    .join(' ');
}

export const eventText: typeof english.eventText = (detail) => {
  for (const [pattern, words] of sentences) {
    const match = pattern.exec(detail);
    if (match) return words(...match.slice(1));
  }
  return changesText(detail);
};
