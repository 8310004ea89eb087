/** German texts of the list of what a person should do now. */
import type * as english from './do-now.en.ts';
import type { Texts } from './texts.ts';

const entries = (n: number) => (n === 1 ? '1 Eintrag' : `${n} Einträge`);

export const doNowTexts: Texts<typeof english.doNowTexts> = {
  title: 'Jetzt zu tun',
  tenants: 'Mandanten',
  allTenants: 'Alle meine Mandanten',
  thisTenant: 'Dieser Mandant',
  failed: 'Was jetzt zu tun ist, konnte nicht geladen werden.',
  none: 'Nichts wartet auf Sie',
  noneAll:
    'In keinem Ihrer Mandanten. Neue Vorgänge, Rückrufe, Genehmigungen, Erwähnungen und was fällig wird, erscheinen hier von selbst.',
  noneHere: (tenant: string) =>
    `In ${tenant}; andere Mandanten sind nicht dabei. Neue Vorgänge, Rückrufe, Genehmigungen, Erwähnungen und was fällig wird, erscheinen hier von selbst.`,
  more: (n: number, isCut: boolean) => (isCut ? `Und mehr als ${entries(n)}.` : `Und ${n} weitere.`),
  moreLink: 'Alle offenen Vorgänge',
  keys: { move: 'bewegen', open: 'öffnen', acknowledge: 'bestätigen', assignToMe: 'mir zuweisen', resolve: 'lösen' },
  next: 'Nächster Eintrag',
  previous: 'Voriger Eintrag',
  due: (left: string) => `fällig in ${left}`,
  over: (by: string) => `überfällig seit ${by}`,
  reasons: {
    Calling: 'Sie rufen zurück',
    LevelBreached: 'Servicelevel verletzt',
    LevelDue: 'Servicelevel',
    Approval: 'Wartet auf meine Genehmigung',
    Mentioned: 'Erwähnt Sie',
    Reply: 'Kunde hat geantwortet',
    NewOnCall: 'Neu, Sie haben Bereitschaft',
    New: 'Neu, bei niemandem',
    Assigned: 'Mir zugewiesen',
  },
  update: { customer: 'Mitteilung an Kunden', internal: 'Interne Mitteilung' },
  newInGroup: (group: string) => `Neu in ${group}`,
  inGroup: (group: string) => `${group}, bei niemandem`,
  step: (name: string) => `Auszuführen oder abzulehnen: ${name}`,
  stepFailed: (name: string) => `Fehlgeschlagen: ${name}`,
  read: 'Als gelesen markieren',
  readOf: (title: string) => `Als gelesen markieren: ${title}`,
  writeUpdate: 'Mitteilung schreiben',
  seeWhy: 'Grund ansehen',
  approve: 'Genehmigen',
  decline: 'Ablehnen',
  approveOf: (title: string) => `Genehmigen: ${title}`,
  declineOf: (title: string) => `Ablehnen: ${title}`,
  verbOf: (verb: string, title: string) => `${verb}: ${title}`,
  sound: {
    isOn: 'Ton bei neuen Einträgen: an',
    isOff: 'Ton bei neuen Einträgen: aus',
    on: 'Ton bei neuen Einträgen in diesem Browser einschalten',
    off: 'Ton bei neuen Einträgen ausschalten',
    test: (severity: string) => `Probe: ${severity}`,
    refused: 'Dieser Browser spielt noch keinen Ton. Klicken Sie irgendwo auf die Seite, oder erlauben Sie ihr Töne im Browser.',
  },
};
