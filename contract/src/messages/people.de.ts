/** German texts of people, their photos, and permission sets. */
import type * as english from './people.en.ts';
import type { Texts } from './texts.ts';

export const photoTexts: Texts<typeof english.photoTexts> = {
  title: 'Ihr Foto',
  section: 'Foto und Status',
  hint: 'Kollegen, die einen Mandanten mit Ihnen teilen, sehen es neben Ihrem Namen. JPEG, PNG oder WebP; die Mitte wird ausgeschnitten und verkleinert.',
  choose: 'Foto wählen',
  replace: 'Foto ersetzen',
  remove: 'Foto entfernen',
  none: 'Sie haben kein Foto: Ihre Initialen werden angezeigt.',
  changed: 'Ihr Foto wurde geändert.',
  removed: 'Ihr Foto wurde entfernt.',
  removeFailed: 'Das Foto konnte nicht entfernt werden.',
  unreadable: 'Diese Datei kann nicht als Bild gelesen werden. Wählen Sie eine JPEG-, PNG- oder WebP-Datei.',
  ofPerson: {
    removeTitle: 'Dieses Foto entfernen?',
    removeQuestion: (name) => `An seiner Stelle werden Initialen angezeigt. ${name} kann jederzeit ein anderes Foto wählen.`,
    removed: (name) => `Das Foto von ${name} wurde entfernt.`,
    notUsed: (why) => `Das Foto des Identitätsanbieters wurde nicht verwendet: ${why}`,
  },
};

export const peopleTexts: Texts<typeof english.peopleTexts> = {
  title: 'Personen',
  emptyText: 'Keine Personen.',
  verified: 'bestätigt',
  notVerified: 'nicht bestätigt',
  tenants: 'Mandanten',
  allTenants: 'Alle Mandanten',
  byGroup: 'Nur über Gruppen',
  never: 'Nie',
  tabs: { person: 'Person', signIns: 'Anmeldungen' },
  isDisabled: 'Deaktiviert',
  disable: 'Deaktivieren',
  enable: 'Aktivieren',
  disableTitle: 'Diese Person deaktivieren?',
  disableQuestion: (name) =>
    `${name} wird sofort überall abgemeldet. Bis ${name} wieder aktiviert wird, sind Anmeldung und alle Tokens im Besitz von ${name} gesperrt.`,
  disabled: (name) => `${name} wurde deaktiviert.`,
  enabled: (name) => `${name} wurde aktiviert.`,
  changeFailed: (name) => `${name} konnte nicht geändert werden.`,
  sessions: {
    title: 'Wo diese Person angemeldet ist',
    none: 'Zurzeit nirgends.',
    failed: 'Die Anmeldungen konnten nicht geladen werden.',
    signedIn: 'Angemeldet',
    passkey: 'mit einem Passkey',
    code: 'mit Passwort und Code',
    password: 'mit einem Passwort',
    end: 'Beenden',
    endOf: (when) => `Anmeldung von ${when} beenden`,
    endAll: 'Alle beenden',
    endAllTitle: 'Alle Anmeldungen beenden?',
    endAllQuestion: (name) => `${name} wird sofort in jedem Browser abgemeldet und kann sich wieder anmelden.`,
    ended: (n) => (n === 1 ? '1 Anmeldung beendet.' : `${n} Anmeldungen beendet.`),
    endFailed: 'Die Anmeldung konnte nicht beendet werden.',
  },
  secondFactor: {
    title: 'Zweiter Faktor',
    hint: 'Entfernen Sie ihn, wenn die Person ihn verloren hat. Die nächste Anmeldung braucht nur das Passwort und richtet einen neuen ein, wo einer verlangt wird.',
    remove: 'Zweiten Faktor entfernen',
    removeTitle: 'Den zweiten Faktor entfernen?',
    removeQuestion: (name) =>
      `Passkeys, Authenticator-App und Wiederherstellungscodes von ${name} werden sofort ungültig. ${name} wird per Mail benachrichtigt.`,
    removed: (name) => `Der zweite Faktor von ${name} wurde entfernt.`,
    removeFailed: 'Der zweite Faktor konnte nicht entfernt werden.',
  },
};

export const permissionSetTexts: Texts<typeof english.permissionSetTexts> = {
  title: 'Berechtigungssätze',
  emptyText: 'Keine Berechtigungssätze.',
  secondFactor: 'Zweiter Faktor',
  secondFactorHint:
    'Personen, die Rechte durch einen Satz mit verlangtem zweitem Faktor haben, melden sich mit einem Passkey an, oder mit Passwort und Code einer Authenticator-App. Wer noch keines von beiden hat, richtet es bei der nächsten Anmeldung ein. Anmeldungen bei einem externen Anbieter sind nicht betroffen.',
  required: (name) => `${name}: zweiten Faktor verlangen`,
  on: (name) => `${name} verlangt jetzt einen zweiten Faktor.`,
  off: (name) => `${name} verlangt keinen zweiten Faktor mehr.`,
  changeFailed: (name) => `${name} konnte nicht geändert werden.`,
  permissions: 'Berechtigungen',
  shipped: 'Gehört zum Produkt und bleibt, wie er ist. Kopieren Sie ihn für einen eigenen Satz.',
  copy: 'Kopieren',
  copyName: (name) => `Kopie von ${name}`,
  area: 'Bereich',
  verbs: { view: 'Ansehen', create: 'Erstellen', edit: 'Bearbeiten', delete: 'Löschen' },
  ownRequests: 'Nur eigene Anfragen sehen (Resolution Center)',
  override: 'Eine Änderung ohne ihre Genehmigungen beginnen',
  othersTitle: 'Weitere Berechtigungen',
  cell: (verb, area) => `${verb}: ${area}`,
  wholeArea: (area) => `Alles in ${area}`,
  wholeVerb: (verb) => `${verb}: überall`,
  beyond: 'Sie haben diese Berechtigung nicht und können sie deshalb weder geben noch nehmen.',
  compare: 'Vergleichen mit',
  none: 'Nichts',
  saved: 'gespeicherter Stand',
  more: 'mehr',
  less: 'weniger',
  difference: (more, less, name) =>
    more + less === 0 ? `Kein Unterschied zu: ${name}.` : `${more} mehr und ${less} weniger als: ${name}.`,
  impact: 'Wer ihn hat',
  holders: (people, groups, tokens) =>
    [
      people === 1 ? '1 Person' : `${people} Personen`,
      ...(groups === 0 ? [] : [groups === 1 ? '1 Gruppe' : `${groups} Gruppen`]),
      ...(tokens === 0 ? [] : [tokens === 1 ? '1 Token' : `${tokens} Tokens`]),
    ].join(', '),
  effect: (added, removed, people) =>
    `Speichern gibt ${added} Berechtigungen und nimmt ${removed} weg, für ${people === 1 ? '1 Person' : `${people} Personen`}.`,
  andMore: 'und andere',
  nothingChosen: 'Bitte wählen Sie mindestens eine Berechtigung.',
};
