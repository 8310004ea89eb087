/** German texts of the resolution center. */
import type * as english from './resolution-center.en.ts';
import type { Texts } from './texts.ts';

export const resolutionCenterEn: Texts<typeof english.resolutionCenterEn> = {
  title: 'Resolution Center',
  emptyText: 'Sagen Sie uns, was Sie brauchen, und verfolgen Sie es hier, bis es erledigt ist.',
  toPortal: 'Zum Portal',

  columns: {
    id: 'Vorgangs-ID',
    created: 'Erstellt',
    title: 'Titel',
    service: 'Dienst',
    need: 'Bedarf',
    status: 'Status',
    satisfaction: 'Zufriedenheit',
    phone: 'Telefon',
    callMe: 'Rückruf anfordern',
  },
  reference: (title) => `Referenz von ${title} (öffnet in neuem Tab)`,
  referenceUrl: 'Referenz',

  callMe: {
    action: 'Rückruf anfordern',
    label: (title) => `Rückruf anfordern zu ${title}`,
    done: 'Ihre Bitte um Rückruf ist eingegangen. Sie sollten innerhalb der nächsten 15 Minuten einen Anruf erhalten.',
    failed: 'Beim Anfordern des Rückrufs ist ein Problem aufgetreten.',
  },

  progress: {
    label: 'Fortschritt',
    states: {
      New: 'Wir haben Ihre Anfrage erhalten.',
      Acknowledged: 'Wir sehen uns Ihre Anfrage an.',
      InProgress: 'Wir arbeiten an Ihrer Anfrage.',
      OnHold: 'Ihre Anfrage wartet.',
      Mitigated: 'Wir haben das Problem abgemildert und beobachten es weiter.',
      Resolved: 'Ihre Anfrage ist gelöst.',
      Closed: 'Ihre Anfrage ist geschlossen.',
      Canceled: 'Ihre Anfrage wurde storniert.',
    },
    steps: 'Schritte Ihrer Anfrage',
    step: { received: 'Eingegangen', worked: 'In Arbeit', waiting: 'Wartet auf Sie', solved: 'Gelöst' },
    onHold: 'Angehalten',
    youAreNext: 'Sie sind an der Reihe: Bitte beantworten Sie unten unsere letzte Nachricht.',
    weAreNext: 'Wir sind an der Reihe: Wir schreiben hier, sobald es Neues gibt.',
    assigned: 'Jemand ist dafür zuständig.',
    unassigned: 'Noch ist niemand dafür zuständig.',
    nextUpdate: 'Wir schreiben Ihnen voraussichtlich wieder',
    late: 'Eine Nachricht ist fällig. Sie hören bald von uns.',
    callAsked: 'Sie haben um einen Rückruf gebeten. Er ist zugesagt',
    callLate: 'Sie haben um einen Rückruf gebeten. Er ist verspätet; wir wurden erinnert.',
    callTaken: 'Jemand hat Ihren Rückruf übernommen und wird Sie anrufen.',
  },

  reply: {
    label: 'Ihre Nachricht',
    help: 'Ergänzen Sie, was wir wissen sollten, oder beantworten Sie eine Frage.',
    required: 'Bitte schreiben Sie Ihre Nachricht.',
    send: 'Senden',
    sent: 'Ihre Nachricht wurde gesendet.',
    from: 'Sie',
  },

  subscription: {
    title: 'Neuigkeiten per E-Mail',
    hint: (email: string) =>
      `Wir informieren Sie per E-Mail an ${email} über Störungen und Wartungen. Jede E-Mail hat einen Link, der sie beendet.`,
    active: 'E-Mails an mich senden',
    kinds: 'Worüber',
    severity: 'Ab Schweregrad',
    severityHelp: 'Sev0 ist der schwerste; Sev4 sendet alles.',
    of: 'Von welcher Organisation',
    subscribed: 'Sie erhalten diese E-Mails ab jetzt.',
    ended: 'Sie erhalten diese E-Mails nicht mehr.',
    failed: 'Ihre Einstellungen konnten nicht geladen werden.',
    none: 'Es gibt nichts zu abonnieren.',
    noAddress: 'Ihr Konto hat keine bestätigte E-Mail-Adresse.',
    noAddressText: 'Bitten Sie Ihren Administrator, Sie per E-Mail einzuladen.',
  },

  feedback: {
    question: 'Wie waren wir?',
    heading: 'Ihre Bewertung',
    thanks: 'Vielen Dank für Ihre wertvolle Bewertung!',
    close: 'Diese Meldung schließen',
    failed: 'Ihre Bewertung konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',
  },

  detail: {
    label: 'Anfrage',
    title: (id, title) => `Anfrage #${id}: ${title}`,
    description: 'Beschreibung',
    resolution: 'Lösung',
    notes: 'Notizen',
    noNotes: 'Noch gibt es keine Notizen. Wir schreiben hier, wenn es Neues gibt.',
    notesFailed: 'Die Notizen konnten nicht geladen werden.',
    facts: 'Einzelheiten',
    updated: 'Zuletzt geändert',
    resolved: 'Gelöst',
    none: 'Keine Angabe',
  },

  request: {
    create: 'Anfrage erstellen',
    title: 'Titel',
    description: 'Beschreibung',
    phone: 'Telefon',
    service: 'Dienst',
    need: 'Bedarf',
    tenant: 'Mandant',
    titleRequired: 'Bitte geben Sie einen Titel für den Vorgang ein.',
    descriptionRequired: 'Bitte geben Sie eine Beschreibung des Vorgangs ein',
    phoneRequired: 'Bitte geben Sie eine Telefonnummer ein.',
    tenantRequired: 'Bitte wählen Sie einen Mandanten.',
    phoneExample: 'Zum Beispiel 202-555-0143 oder 202-555-0143 x12.',
    files: 'Dateien',
    withoutFile: (name: string) => `${name} nicht senden`,
    fileFailed: (name: string, reason: string) =>
      `${name} wurde nicht gesendet: ${reason} Sie können die Datei einer Nachricht zur Anfrage anhängen.`,
    serviceFirst: 'Zuerst einen Dienst wählen',
    submit: 'Absenden',
    created: 'Der Vorgang wurde erstellt.',
    failed: 'Ein Problem ist aufgetreten. Bitte versuchen Sie es erneut.',
    counter: (n, max) => `${n}/${max}`,
  },
};
