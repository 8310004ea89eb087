/** German texts of what people do with policies on devices. */
import type * as english from './policy-care.en.ts';
import type { Texts } from './texts.ts';

const devicesOf = (count: string): string => (count === '1' ? '1 Gerät' : `${count} Geräte`);
const onDevices = (count: string): string => (count === '1' ? '1 Gerät' : `${count} Geräten`);

export const policyCareTexts: Texts<typeof english.policyCareTexts> = {
  mend: {
    all: 'Jetzt berichtigen',
    allHelp: 'Vergleicht jetzt jedes Gerät der Richtlinie und setzt neu, was abweicht.',
    one: (device: string) => `${device} jetzt berichtigen`,
    done: (count: string) =>
      `${devicesOf(count)} ${count === '1' ? 'wird' : 'werden'} verglichen. Was abweicht, wird binnen Sekunden neu gesetzt.`,
  },
  exceptions: {
    title: 'Ausnahmen',
    none: 'Jedes Gerät der Richtlinie hat alles davon.',
    add: 'Ausnahme hinzufügen',
    of: (policy: string) => `Ausnahme von ${policy}`,
    text: 'Bis dahin hat das Gerät es nicht: Andere Richtlinien entscheiden, oder es erhält das Frühere zurück.',
    device: 'Gerät',
    what: 'Was es nicht hat',
    whole: 'Die ganze Richtlinie',
    until: 'Bis',
    untilHelp: 'Leer: bis jemand die Ausnahme entfernt.',
    reason: 'Warum',
    make: 'Ausnehmen',
    done: 'Ausgenommen. Das Gerät ändert sich binnen Sekunden.',
    remove: (device: string) => `Ausnahme von ${device} beenden`,
    removed: 'Beendet. Das Gerät hat es binnen Sekunden wieder.',
    by: (person: string) => `von ${person}`,
    untilTime: (time: string) => `bis ${time}`,
    endless: 'ohne Ende',
    over: (time: string) => `beendet ${time}`,
    notSet: 'die Richtlinie setzt es nicht mehr',
  },
  left: {
    title: 'Ausgeschieden, behält das Frühere',
    line: (time: string, things: string) => `ausgeschieden ${time}, behält ${things}`,
  },
  order: {
    open: 'Vorrang',
    title: 'Vorrang der Richtlinien',
    text: 'Wo zwei Richtlinien auf einem Gerät dasselbe verschieden setzen, gewinnt die obere. Verschieben Sie eine mit ihren Tasten, durch Ziehen oder mit Alt und einer Pfeiltaste.',
    up: (name: string) => `${name} nach oben`,
    down: (name: string) => `${name} nach unten`,
    ofAll: 'für alle Mandanten',
    disabled: 'deaktiviert',
    changes: 'Was das Speichern ändert',
    same: 'Die Reihenfolge ist wie gespeichert.',
    nothing: 'Kein Gerät hat dann etwas anders.',
    calculating: 'Wird berechnet …',
    change: (what: string, name: string, before: string) => `${what}: durch ${name} statt ${before}`,
    on: (count: string, names: string) => `auf ${onDevices(count)}: ${names}`,
    more: ' …',
    ranks: (count: string) => `Geänderte Vorränge: ${count}`,
    save: 'Reihenfolge speichern',
    saved: 'Reihenfolge gespeichert. Geräte ändern sich binnen Sekunden.',
  },
};
