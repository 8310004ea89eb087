/** German texts of public status pages, of their subscriptions, and of the mails to their subscribers. */
import type * as english from './public-status.en.ts';
import type { Texts } from './texts.ts';

const days = (n: number) => (n === 1 ? '1 Tag' : `${n} Tage`);

export const publicStatusTexts: Texts<typeof english.publicStatusTexts> = {
  lang: 'de',
  levels: { Operational: 'In Betrieb', Maintenance: 'In Wartung', Degraded: 'Beeinträchtigt', Outage: 'Ausfall' },
  headlines: {
    Operational: 'Alle Systeme sind in Betrieb',
    Maintenance: 'Eine Wartung läuft',
    Degraded: 'Einige Systeme sind beeinträchtigt',
    Outage: 'Einige Systeme sind ausgefallen',
  },
  statuses: {
    Investigating: 'Wird untersucht',
    ConfirmedImpact: 'Auswirkung bestätigt',
    ServiceRestored: 'Dienst wiederhergestellt',
    Resolved: 'Gelöst',
    Cancelled: 'Zurückgezogen',
  },
  unwatched: 'nicht beobachtet',
  summary: (of, outage, degraded) => {
    const parts = [
      ...(outage > 0 ? [`${days(outage)} mit einem Ausfall`] : []),
      ...(degraded > 0 ? [`${days(degraded)} beeinträchtigt`] : []),
    ];
    return `Letzte ${of} Tage: ${parts.join(', ') || 'kein Ausfall'}`;
  },
  daysAgo: (n) => `vor ${n} Tagen`,
  withoutOutage: (share) => `${share} ohne Ausfall`,
  today: 'Heute',
  next: 'Als Nächstes',
  since: 'Seit',
  until: 'bis',
  impact: 'Auswirkung:',
  nextUpdate: 'Nächste Mitteilung bis',
  open: 'Offene Störungen',
  components: 'Komponenten',
  planned: 'Geplante Wartung',
  past: 'Vergangene Störungen',
  asOf: 'Stand:',
  reload: 'Laden Sie die Seite neu, um den aktuellen Stand zu sehen.',
  feed: 'Per Atom verfolgen',
  missing: {
    page: 'Statusseite',
    title: 'Hier ist keine Statusseite',
    text: 'Die Adresse ist falsch, oder die Seite ist nicht öffentlich.',
  },
  updates: {
    title: 'Mitteilungen per Mail',
    email: 'E-Mail',
    subscribe: 'Abonnieren',
    wrong: 'Das ist keine E-Mail-Adresse',
    wrongText: 'Gehen Sie zurück und geben Sie eine Adresse ein, zum Beispiel name@example.com.',
    many: 'Zu viele Anfragen. Bitte versuchen Sie es später erneut.',
    failed: 'Das hat nicht geklappt. Bitte versuchen Sie es gleich noch einmal.',
    sent: 'Sehen Sie in Ihr Postfach',
    sentText: 'Eine Mail mit einem Link ist zu Ihnen unterwegs. Der Link bestätigt die Adresse und gilt einen Tag.',
    notValid: 'Dieser Link ist nicht gültig: Er wurde unterwegs verändert, oder die Seite ist nicht mehr öffentlich.',
    expired: 'Dieser Link ist abgelaufen',
    expiredText: 'Abonnieren Sie die Mitteilungen auf der Statusseite erneut.',
    ask: (email) => `Mitteilungen an ${email} senden?`,
    confirm: 'Bestätigen',
    confirmed: (email) => `Ab jetzt gehen Mitteilungen an ${email}. Jede Mail hat einen Link, der sie beendet.`,
    full: 'Diese Seite hat die Höchstzahl ihrer Abonnenten erreicht.',
    askEnd: 'Die Mitteilungen an Ihre Adresse beenden?',
    unsubscribe: 'Abbestellen',
    ended: 'Sie erhalten keine Mitteilungen mehr.',
  },
  contactMails: {
    title: 'Mails an Kontakte',
    notValid: 'Dieser Link ist nicht gültig: Er wurde unterwegs verändert.',
    askEnd: 'Die Mails zu Störungen und Wartungen an Ihre Adresse beenden?',
    ended: 'Sie erhalten keine dieser Mails mehr.',
  },
  reportMails: {
    title: 'Berichte per Mail',
    notValid: 'Dieser Link ist nicht gültig: Er wurde unterwegs verändert.',
    askEnd: 'Diesen Bericht per Mail für Sie beenden?',
    ended: 'Sie erhalten diesen Bericht nicht mehr per Mail.',
  },
  digestMails: {
    title: 'Zusammenfassung Ihres Posteingangs',
    notValid: 'Dieser Link ist nicht gültig: Er wurde unterwegs verändert.',
    askEnd: 'Die Zusammenfassung Ihres Posteingangs per Mail beenden?',
    ended: 'Sie erhalten keine Zusammenfassungen per Mail mehr. Unter „Meine Benachrichtigungen“ können Sie sie wieder wählen.',
  },
  mails: {
    confirmSubject: (page) => `Bitte bestätigen: Mitteilungen von ${page}`,
    confirm: (page, link) =>
      [
        `Jemand, wahrscheinlich Sie, möchte Mitteilungen von „${page}“ per Mail an diese Adresse erhalten.`,
        `Bestätigen Sie das innerhalb eines Tages: ${link}`,
        'Wenn Sie es nicht bestätigen, erhalten Sie keine Mails und müssen nichts tun.',
      ].join('\n\n'),
    incidentSubject: (page, incident, status) => `${page}: ${incident} (${status})`,
    incident: (incident, status) => `${incident}: ${status}`,
    maintenanceSubject: (page, components, what) => `${page}: Wartung von ${components} (${what})`,
    what: { Planned: 'geplant', Changed: 'geändert', Canceled: 'abgesagt', Started: 'begonnen', Ended: 'beendet' },
    maintenance: {
      Planned: (components, from, to) => `Eine Wartung von ${components} ist geplant, vom ${from} bis zum ${to}.`,
      Changed: (components, from, to) => `Die Wartung von ${components} wurde geändert: Sie dauert jetzt vom ${from} bis zum ${to}.`,
      Canceled: (components, from, to) => `Die Wartung von ${components}, die vom ${from} bis zum ${to} geplant war, findet nicht statt.`,
      Started: (components, _from, to) => `Die Wartung von ${components} hat begonnen. Sie ist bis zum ${to} geplant.`,
      Ended: (components) => `Die Wartung von ${components} ist beendet.`,
    },
    more: (address) => `Alles dazu: ${address}`,
    end: (page, link) => `Sie erhalten dies, weil Sie die Mitteilungen von „${page}“ abonniert haben. Zum Beenden: ${link}`,
  },
};
