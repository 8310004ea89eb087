/** German texts of moving in from another product. */
import type * as english from './moving.en.ts';
import type { Texts } from './texts.ts';

export const movingTexts: Texts<typeof english.movingTexts> = {
  counts: {
    schedules: (count) => (count === 1 ? '1 Bereitschaftsplan' : `${count} Bereitschaftspläne`),
    escalations: (count) => (count === 1 ? '1 Eskalation' : `${count} Eskalationen`),
    users: (count) => (count === 1 ? '1 Benutzer' : `${count} Benutzer`),
    integrations: (count) => (count === 1 ? '1 Integration' : `${count} Integrationen`),
    services: (count) => (count === 1 ? '1 Dienst' : `${count} Dienste`),
    hosts: (count) => (count === 1 ? '1 Host' : `${count} Hosts`),
    templates: (count) => (count === 1 ? '1 Vorlage' : `${count} Vorlagen`),
    triggers: (count) => (count === 1 ? '1 Auslöser' : `${count} Auslöser`),
    tickets: (count) => (count === 1 ? '1 Ticket' : `${count} Tickets`),
    articles: (count) => (count === 1 ? '1 Artikel' : `${count} Artikel`),
  },
  found: (product, counts) => `${product}: ${counts}.`,
  without: (count) => `Ohne Entsprechung (${count})`,
  withoutText: 'Dies wird nicht oder nicht genauso importiert. Sonst weicht nichts ab.',
  reading: 'Dateien werden gelesen …',
  reasons: {
    'unread-file': (why) => `Nichts aus dieser Datei wurde gelesen${why ? `. Sie sagt: ${why}` : '.'}`,
    'missing-answer': (what) =>
      `In den Dateien sind keine ${what}. Gibt es welche, wählen Sie auch diese: Was sich auf sie bezieht, wird weggelassen.`,
    'add-source': (kind) =>
      `Sie sendet Alarme an eine eigene Adresse${kind ? ` (${kind})` : ''}. Legen Sie eine Quelle an, und tragen Sie deren Adresse im sendenden Programm ein.`,
    'by-service': (protocol) => `Wählen Sie den Ablaufplan ${protocol} in den Regeln der Quelle, die dafür steht.`,
    'by-route': (protocol) => `Schreiben Sie eine Regel mit derselben Bedingung und dem Ablaufplan ${protocol}.`,
    disabled: () => 'Dort ausgeschaltet.',
    ended: (when) => `Bereits beendet${when ? ` (${when})` : ''}.`,
    ical: () => 'Wird aus einer Kalenderdatei gelesen. Tragen Sie die Schichten als Ebenen oder als Vertretungen ein.',
    'ical-overrides': () => 'Vertretungen werden aus einer Kalenderdatei gelesen. Tragen Sie die künftigen ein.',
    monthly: (kind) => `Wiederholt sich nach Tagen des Monats oder nach Monaten${kind ? ` (${kind})` : ''}; das können Ebenen nicht.`,
    'by-day-hours': () => 'Wiederholt sich nach Stunden nur an einigen Wochentagen; das können Ebenen nicht.',
    'overlapping-turns': () => 'Die Schichten überschneiden sich.',
    'rotation-start': () =>
      'Der Wechsel beginnt mehr als eine Woche nach der ersten Schicht, und wer anfängt, ist nicht sicher. Tragen Sie ihn von Hand ein.',
    'first-week': (when) => `Beginnt mitten in einer künftigen Woche (${when}). Importieren Sie danach, oder tragen Sie ihn von Hand ein.`,
    'odd-length': (length) => `Eine Schicht dauert ${length}; das ist keine Zahl von Stunden, Tagen oder Wochen.`,
    seconds: (time) => `Die Zeiten haben Sekunden (${time}).`,
    'unreadable-time': (time) => `Die Zeit „${time}“ ist nicht lesbar.`,
    'unreadable-zone': (zone) => `Die Zeitzone „${zone}“ gehört nicht zur IANA-Datenbank.`,
    'mixed-zones': (zones) => `Die Schichten sind in mehreren Zeitzonen (${zones}).`,
    'too-many-turns': (count) => `Hat ${count} Schichten, bis sich alles wiederholt; eine Ebene hat höchstens 100.`,
    'too-many-hours': (count) => `Ist auf ${count} verschiedene Zeiten beschränkt; eine Ebene hat höchstens 20.`,
    'too-many-layers': (count) => `Braucht ${count} Ebenen; ein Plan hat höchstens 10.`,
    'team-turn': (who) => `Eine Schicht gehört ${who}, nicht Personen.`,
    'no-people': () => 'Hat keine Personen.',
    'part-override': (when) =>
      `Eine Vertretung nur einiger Schichten lässt sich von den anderen nicht trennen (${when}). Tragen Sie sie von Hand ein.`,
    'long-override': (when) => `Eine Vertretung dauert länger als zwei Jahre (bis ${when}). Ändern Sie stattdessen die Ebenen.`,
    'hour-turns': (layers) =>
      `Schichten von Stunden (${layers}) bleiben bei denselben Ortszeiten, wenn die Uhr umgestellt wird. Vergleichen Sie die Schichten nach der nächsten Umstellung.`,
    differs: (when) =>
      `Ab ${when} hat jemand anderes Bereitschaft, als das andere Produkt berechnet hat. Vergleichen Sie die Schichten, bevor Sie den Plan verwenden.`,
    'step-kind': (kind) => `Der Schritt ${kind} fehlt.`,
    'step-condition': (condition) => `Ein Schritt mit der Bedingung ${condition} fehlt.`,
    'step-recipient': (who) => `Ein Schritt, der ${who} benachrichtigt, fehlt.`,
    'notify-type': (who) => `Ein Schritt fehlt, der nicht die Bereitschaft benachrichtigt, sondern „${who}“.`,
    'close-after': () => 'Schließt Alarme nach der letzten Wiederholung; hier bleiben sie offen.',
    'round-robin': () => 'Ein Schritt, der jedes Mal die nächste Person benachrichtigt, fehlt.',
    important: (kind) => `Der Schritt ${kind} gilt dort als wichtig; hier wählen Personen ihre Wege nach der Schwere.`,
    'needs-agent': (count) =>
      `Daraus werden Geräte (${count}) ohne Agenten. Installieren Sie ihn, oder lassen Sie eine Quelle unter ihren Namen melden; bis dahin sind sie stumm.`,
    'rules-off': () =>
      'Daraus werden ausgeschaltete Regeln. Eine Regel liest Metriken, die wie die Datenpunkte von Zabbix heißen: Setzen Sie die Namen ein, die ankommen, und schalten Sie sie dann ein.',
    'tags-cut': (count) => `Ein Gerät hat höchstens 500 Zeichen Tags; ${count} fehlen.`,
    'trigger-expression': (part) => `Der Ausdruck ist mehr als Messwerte, die mit Zahlen verglichen werden: ${part}`,
    'trigger-hosts': (hosts) => `Betrifft mehrere Hosts oder einen, der nicht in den Dateien ist: ${hosts}`,
    'trigger-silence': () => 'Fragt dort, ob ein Datenpunkt nichts liefert; die Regel fragt, ob das Gerät nichts gesendet hat.',
    'trigger-dependencies': () => 'Hängt dort von anderen Auslösern ab, die Regel nicht.',
    discovery: (count) => `Die ${count} Erkennungsregeln fehlen, samt ihren Datenpunkten und Auslösern.`,
    'web-scenarios': (count) => `Die ${count} Web-Szenarien fehlen.`,
    'ticket-state': (count) =>
      `${count} Tickets haben diesen Status. Mit einem Zeitpunkt der Schließung werden sie Closed, sonst Acknowledged.`,
    'ticket-priority': (count) => `${count} Tickets haben diese Priorität. Sie werden Sev3.`,
    'ticket-files': (count) => `${count} Dateien sind in den Notizen genannt; ihr Inhalt steht nicht in diesen Dateien.`,
    'ticket-articles': (count) => `${count} Tickets kommen ohne ihre Artikel, die nicht in diesen Dateien stehen.`,
    'ticket-merged': (count) => `${count} Tickets wurden dort mit anderen zusammengefasst. Sie werden Closed.`,
    'ticket-times': () => 'Die Datenbank nennt keine Zeitzone. Ihre Zeiten werden als UTC gelesen.',
  },
};
