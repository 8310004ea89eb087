/** German texts of the matches that a work unit stands for. */
import type * as english from './unit-matches.en.ts';
import type { Texts } from './texts.ts';

export const unitMatchTexts: Texts<typeof english.unitMatchTexts> = {
  heading: 'Treffer',
  counts: (open, total) => `${open} offen von ${total}`,
  states: { Open: 'Offen', Ended: 'Beendet' },
  since: 'begann',
  ended: 'endete',
  kinds: {
    Rule: () => 'Alle Treffer der Regel werden dieser Vorgang.',
    Device: (shared) => `Nach Gerät gruppiert: ${shared}.`,
    Location: (shared) => `Gruppiert nach ${shared}.`,
    Subscription: (shared) => `Gruppiert nach ${shared}.`,
    Tag: (shared) => `Gruppiert nach ${shared}.`,
    Parent: (shared) => `Danach gruppiert, wovon sie abhängen: ${shared}.`,
    Storm: () => 'Die Regel traf in einer Minute zu oft zu: Weitere Treffer stehen hier, statt eigene Vorgänge zu eröffnen.',
    Silence: (shared) => `${shared}.`,
    Outage: (shared) => `${shared}.`,
  },
  reasons: { storm: 'zu viele Treffer in einer Minute' },
  more: (n) => `${n} weitere anzeigen`,
  listed: (n, total) => `Die ersten ${n} von ${total} sind aufgelistet.`,
  failed: 'Die Treffer dieses Vorgangs konnten nicht geladen werden',
};

/** `00:05:00` as `5 min`. */
function spanText(duration: string): string {
  const [hours = 0, minutes = 0, seconds = 0] = duration.split(':').map(Number);
  return [hours > 0 ? `${hours} h` : '', minutes > 0 ? `${minutes} min` : '', seconds > 0 ? `${seconds} s` : ''].filter(Boolean).join(' ');
}

const atNextHit = 'bei der nächsten Auslösung';
const after = (duration: string): string => (spanText(duration) === '' ? atNextHit : `nach ${spanText(duration)}, wenn es andauert`);
const at = (time: string | undefined): string => (time === undefined ? atNextHit : `ab ${time}, wenn es noch zutrifft`);
const silent = 'Nichts meldet es, bis der Treffer endet.';

export const liveMatchTexts: Texts<typeof english.liveMatchTexts> = {
  stillHolds: 'Der Fehler besteht noch:',
  stillMatching: 'Trifft noch zu:',
  matched: (rule) => `Regel ${rule}, ausgelöst`,
  others: (n) => (n === 1 ? ', und 1 weiterer Treffer ist offen' : `, und ${n} weitere Treffer sind offen`),
  opensAfter: {
    Reopen: (duration) => `Der Vorgang wird wieder geöffnet: ${after(duration)}.`,
    New: (duration) => `Ein neuer Vorgang wird eröffnet: ${after(duration)}.`,
    Silent: () => silent,
  },
  opensAt: {
    Reopen: (time) => `Er wird wieder geöffnet: ${at(time)}.`,
    New: (time) => `Ein neuer Vorgang wird eröffnet: ${at(time)}.`,
    Silent: () => silent,
  },
};
