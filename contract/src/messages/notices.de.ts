/** German texts of the notices for administrators. */
import { onCallProblems } from '../on-call/problems.ts';
import type * as english from './notices.en.ts';
import type { Texts } from './texts.ts';

const problems: ReadonlyMap<string, string> = new Map([
  [onCallProblems.disabled, 'Die Person ist gesperrt.'],
  [onCallProblems.noRights, 'Die Person hat in diesem Mandanten keine Rechte mehr.'],
  [onCallProblems.mailAlone, 'Die Person ist nur per Mail erreichbar, und es ist kein Mailserver eingestellt.'],
  [onCallProblems.noChannel, 'Die Person hat keinen Kanal: weder eine E-Mail-Adresse noch einen Browser oder ein Telefon.'],
]);

export const noticeTexts: Texts<typeof english.noticeTexts> = {
  storage: {
    low: (free, percent) =>
      `Auf dem Server sind noch ${free} Speicherplatz frei, ${percent} %. Ist er voll, kann nichts gespeichert werden und Datenpakete werden abgelehnt.`,
    full: (free) =>
      `Die Festplatte des Servers ist voll (noch ${free} frei): Nichts kann gespeichert werden und Datenpakete werden abgelehnt. Schaffen Sie darauf Platz.`,
  },
  archive: (since, size, error) =>
    `Das Log der Datenbank ${since ? `wurde seit ${since} nicht archiviert` : 'kann nicht archiviert werden'}: Spätere Änderungen können nicht aus dem Archiv wiederhergestellt werden, und das Log wächst auf der Festplatte des Servers${size ? ` (${size})` : ''}. ${error ?? 'Schaffen Sie Platz im Ordner ARCHIVE_DIR oder erlauben Sie PostgreSQL, darin zu schreiben'}.`,
  noMailServer:
    'Es ist kein Mailserver eingestellt: Keine Mail erreicht jemanden, weder Alarmierungen noch Einladungen. Setzen Sie SMTP_URL und MAIL_FROM, starten Sie den Server neu und senden Sie eine Testmail.',
  mailFails: (since, isDisabled) =>
    `Seit ${since} nimmt der Mailserver keine Mails an. ${isDisabled ? 'Sie werden nicht mehr versucht; erlauben Sie sie wieder im Postausgang.' : 'Sie werden erneut versucht.'}`,
  mailUntried: 'Der Mailserver hat noch keine Mail angenommen: Niemand weiß, ob Alarmierungen ankommen. Senden Sie eine Testmail.',
  emergency: (account, when) =>
    `Das Notfallkonto ${account} wurde am ${when} benutzt. War das niemand von Ihnen, deaktivieren Sie es, und geben Sie ihm ein anderes Passwort.`,
  people: 'Personen',
  settings: 'Einstellungen',
  installation: 'Installation',
  nobodyOnCall: (schedule, next) =>
    `In ${schedule} hat niemand Bereitschaft${next === undefined ? ', und niemand folgt' : ` bis ${next}`}: Alarmierungen erreichen niemanden.`,
  onCallUnreached: (name, schedule, problem) =>
    `${name}, mit Bereitschaft in ${schedule}, wird nicht erreicht. ${problems.get(problem) ?? problem}`,
  schedule: 'Bereitschaftsplan',
  archiveCopies: (since, error) =>
    `Das Archiv wird seit ${since} nicht mehr fortgeführt: ${error}. Eine Wiederherstellung daraus kann nicht mit allen Dateien auf einen späteren Zeitpunkt zurückgehen.`,
  fault: {
    mailbox: (name, since, problem) =>
      `Das Postfach ${name} wurde seit ${since} nicht gelesen: Aus Mails dorthin werden keine Vorgänge. ${problem}`,
    mails: (name, since, problem) =>
      `Mails an das Postfach ${name} warten seit ${since} auf jemanden, weil sie nicht gespeichert werden konnten oder der Absender unbekannt ist. Die letzte, von ${problem}`,
    source: (name, since, problem) => `Alles, was die Quelle ${name} seit ${since} gesendet hat, wurde abgelehnt. ${problem}`,
    rule: (name, since, problem) => `Die Regel ${name} arbeitet seit ${since} nicht so, wie sie geschrieben ist. ${problem}`,
    events: (name, since, problem) => `Das Ereignis-Abonnement ${name} pausiert seit ${since}: Sein Empfänger bekommt nichts. ${problem}`,
    eventsEnded: (name, since, problem) =>
      `Das Ereignis-Abonnement ${name} ist seit ${since} beendet, daher werden keine Ereignisse mehr dafür aufgezeichnet. ${problem} Aktivieren Sie es wieder, oder löschen Sie es.`,
    eventsGivenUp: (name, since, problem) =>
      `Das Ereignis-Abonnement ${name} hat seit ${since} Ereignisse aufgegeben: Sein Empfänger hat sie nicht. Zuletzt: ${problem}`,
    report: (name, since, owner) =>
      `Der Bericht ${name} wird seit ${since} nicht mehr per Mail gesendet: ${owner}, dem er gehört, ist gegangen oder darf ihn nicht ansehen. Legen Sie einen neuen an, wenn seine Empfänger ihn noch brauchen.`,
    failing: (name, since, problem) => `${name} nimmt seit ${since} keine Aufrufe an: Was dorthin geht, wartet. ${problem}`,
    destination: (name, since, problem) => `Aufrufe von ${name} sind seit ${since} deaktiviert. ${problem}`,
    undelivered: (name, since, problem) =>
      `Seit ${since} ist endgültig fehlgeschlagen, was jemanden benachrichtigen sollte, und niemand hat sich der Sache angenommen. Zuletzt, ${name}: ${problem}`,
    untold: (name, _since, units) =>
      `Um Vorgänge mit Sev0 oder Sev1, etwa ${name}, hat sich seit einer Viertelstunde niemand gekümmert: ${units}. Niemand wurde benachrichtigt, oder alle Schritte des Protokolls liefen und niemand hat geantwortet.`,
    left: (name, _since, units) =>
      `Offene Vorgänge warten auf Personen, die gegangen sind oder sie nicht mehr bearbeiten dürfen, etwa ${name}, und stehen in keiner anderen Liste: ${units}. Weisen Sie sie jemand anderem zu.`,
    jobs: (name, since, problem) => `Seit ${since} schlägt Arbeit der Installation fehl, etwa ${name}: ${problem}`,
    campaign: (name, since, reason) => `Die Kampagne ${name} hat am ${since} von selbst angehalten: ${reason}`,
  },
  others: (count) => `+${count}`,
  close: 'Weniger zeigen',
  more: (text, count) => `${text} (insgesamt ${count})`,
};
