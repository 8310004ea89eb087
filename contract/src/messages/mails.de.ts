/** German texts of the mails and push messages that the server writes to people. */
import type * as english from './mails.en.ts';
import type { Texts } from './texts.ts';

const counted = (n: number, one: string, many: string) => `${n.toLocaleString('de-DE')} ${n === 1 ? one : many}`;

export const mailTexts: Texts<typeof english.mailTexts> = {
  lang: 'de',
  signIn: {
    changed: 'Ihre Anmeldung bei CloudFit wurde geändert',
    changes: {
      codesAdded: 'Für Ihre Anmeldung bei CloudFit wurde eine Authenticator-App eingerichtet.',
      codesRemoved: 'Die Authenticator-App wurde von Ihrer Anmeldung bei CloudFit entfernt.',
      passkeyAdded: 'Zu Ihrer Anmeldung bei CloudFit wurde ein Passkey hinzugefügt.',
      passkeyRemoved: 'Von Ihrer Anmeldung bei CloudFit wurde ein Passkey entfernt.',
      removedByAdministrator: 'Ein Administrator hat den zweiten Faktor Ihrer Anmeldung bei CloudFit entfernt.',
    },
    change: (name, change, when) =>
      [
        `${name}: ${change}`,
        `Wann: ${when}`,
        'Wenn Sie davon wissen, müssen Sie nichts tun. Wenn nicht, ändern Sie Ihr Passwort und wenden Sie sich an einen Administrator:',
      ].join('\n\n'),
    chat: 'Ein Chat-Konto wurde mit Ihrem in CloudFit verbunden',
    chatText: (name, account, when) =>
      [
        `${name}, ${account} wurde in CloudFit mit Ihnen verbunden. Schaltflächen und Threads dort handeln in Ihrem Namen.`,
        `Wann: ${when}`,
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, trennen Sie es auf der Seite Meine Benachrichtigungen:',
      ].join('\n\n'),
    emergency: 'Ein Notfallkonto von CloudFit wurde benutzt',
    emergencyText: (name, account, when, from) =>
      [
        `${name}, jemand hat sich bei CloudFit mit dem Notfallkonto ${account} angemeldet.`,
        `Wann: ${when}\nVon: ${from ?? 'einer unbekannten Adresse'}`,
        'War das niemand von Ihnen, deaktivieren Sie das Konto, und geben Sie ihm ein anderes Passwort:',
      ].join('\n\n'),
    begun: 'Eine neue Anmeldung bei CloudFit',
    begin: (name, isNewBrowser, facts) =>
      [
        `${name}, jemand hat sich bei CloudFit als Sie angemeldet, ${isNewBrowser ? 'mit einem Browser, den Sie noch nicht verwendet haben' : 'aus einem Netz, das Sie noch nicht verwendet haben'}.`,
        `Wann: ${facts.when}\nVon: ${facts.from ?? 'einer unbekannten Adresse'}\nMit: ${facts.browser ?? 'einem unbekannten Browser'}`,
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie Ihr Passwort; das beendet jede andere Anmeldung:',
      ].join('\n\n'),
    browserOn: (browser, system) => `${browser} auf ${system}`,
  },
  invitation: {
    subject: (by) => `${by} lädt Sie zu CloudFit ein`,
    place: (tenant, permissionSet) => `auf ${tenant ?? 'alle Mandanten'} als ${permissionSet}`,
    text: (name, by, places, days) =>
      `${name}, ${by} gibt Ihnen in CloudFit Zugriff ${places.join(',\n')}.\n\nDieser Link gilt einmal, und ${days} Tage lang:\n\n`,
  },
  provisioned: {
    subject: 'Sie haben Zugriff auf CloudFit',
    text: (name, directory, userName) =>
      `${name}, ${directory} hat Ihnen Zugriff auf CloudFit gegeben. Sie melden sich als ${userName} an, wie in Ihrer Organisation üblich:`,
    withPassword: (name, directory, userName, days) =>
      `${name}, ${directory} hat Ihnen Zugriff auf CloudFit gegeben. Sie melden sich als ${userName} an. Wählen Sie zuerst ein Passwort; dieser Link gilt einmal, und ${days} Tage lang:`,
  },
  tokenEnds: {
    subject: (token, day) => `Das Token ${token} endet am ${day}`,
    text: (token, tenant, day, link) =>
      [
        `Das Token ${token} des Mandanten ${tenant} endet am ${day}. Von da an wird es abgelehnt.`,
        `Erstellen Sie ein neues und setzen Sie es an seine Stelle: ${link}`,
      ].join('\n\n'),
  },
  directoryTokenEnds: {
    subject: (directory, day) => `Das SCIM-Token von ${directory} endet am ${day}`,
    text: (directory, day, link) =>
      [
        `Das Token, mit dem das Verzeichnis ${directory} Personen einrichtet, endet am ${day}. Von da an behalten Personen, die gehen, ihren Zugriff, und neue erhalten keinen.`,
        `Erstellen Sie ein neues und tragen Sie es beim Anbieter ein: ${link}`,
      ].join('\n\n'),
  },
  approval: {
    subject: (id) => `Änderungsantrag #${id} wartet auf Ihre Entscheidung`,
    text: (slot, id, by, title, edited) =>
      `Sie sind Genehmiger ${slot} des Änderungsantrags #${id}, den ${by} gestellt hat:\n\n${title}\n\n${edited === '' ? '' : `Sie hatten ihn genehmigt. Seitdem hat sich geändert: ${edited}.\n\n`}Lesen Sie ihn und entscheiden Sie hier:`,
  },
  reminder: {
    subject: (id, isInternal) => `WUCOMM #${id}: die Mitteilung ${isInternal ? 'an das Team' : 'an den Kunden'} ist fällig`,
    text: (title, isInternal, when, status) =>
      `Die nächste Mitteilung ${isInternal ? 'an das Team' : 'an den Kunden'} zu „${title}“ war für ${when} zugesagt. Ihr Status ist ${status}.\n\nSenden Sie sie, oder sagen Sie eine andere Zeit zu.`,
    statuses: {
      Investigating: 'Wird untersucht',
      ConfirmedImpact: 'Auswirkung bestätigt',
      ServiceRestored: 'Dienst wiederhergestellt',
      Cancelled: 'Storniert',
      Resolved: 'Gelöst',
    },
  },
  callBack: {
    overdue: (id) => `Rückruf überfällig: Vorgang ${id}`,
    overdueText: (due, takenBy, names, id, title) =>
      `Dem Kunden wurde ein Anruf bis ${due} zugesagt: ${takenBy === null ? 'Niemand hat ihn übernommen' : `${takenBy} hat ihn übernommen und nicht abgeschlossen`}. ${
        names.length > 0
          ? `Benachrichtigt: ${names.join(', ')}.`
          : 'Von denen, die dafür Bereitschaft haben, konnte niemand benachrichtigt werden.'
      }\n\nVorgang ${id}: ${title}`,
    requested: (id) => `Rückruf gewünscht: Vorgang ${id}`,
    requestedText: (by, phone, id, title) =>
      `${by} bittet um einen Rückruf${phone ? ` unter ${phone}` : ''}.\n\nVorgang ${id}: ${title}\nEin Anruf in den nächsten 15 Minuten wurde zugesagt.`,
    message: (isOverdue) => `${isOverdue ? 'Rückruf überfällig' : 'Rückruf'}: {Title} ({TenantName})`,
    messageText: (hasPhone, due) =>
      `Der Kunde bittet um einen Rückruf${hasPhone ? ' unter {StakeHolderPhoneNumber}' : ''}; ein Anruf bis ${due} wurde zugesagt.`,
  },
  destination: {
    subject: (origin) => `Aufrufe von ${origin} sind deaktiviert`,
    text: (origin, error) =>
      `Aufrufe von ${origin} sind einen Tag lang fehlgeschlagen und jetzt deaktiviert. Der letzte Fehler: ${error}\n\nWenn das Ziel wieder arbeitet, entfernen Sie es aus den Zielen.`,
  },
  fault: {
    subject: {
      mailbox: (name) => `Das Postfach ${name} kann nicht gelesen werden`,
      mails: (name, count) => `${counted(count, 'Mail wartet', 'Mails warten')} auf jemanden: ${name}`,
      source: (name) => `Alles, was ${name} sendet, wird abgelehnt`,
      rule: (name) => `Die Regel ${name} arbeitet nicht so, wie sie geschrieben ist`,
      eventsGivenUp: (name, count) => `${name} hat ${counted(count, 'Ereignis', 'Ereignisse')} aufgegeben`,
      report: (name) => `Der Bericht ${name} wird nicht mehr gesendet`,
      failing: (name) => `${name} nimmt keine Aufrufe an`,
      mail: () => 'Keine Mail kommt an: Der Mailserver arbeitet nicht',
      undelivered: (name, count) =>
        count === 1 ? `Nicht zugestellt: ${name}` : `${counted(count, 'Nachricht', 'Nachrichten')} nicht zugestellt, zuletzt: ${name}`,
      untold: (name, count) =>
        `Niemand kümmert sich: ${count === 1 ? name : `${name} und ${counted(count - 1, 'weiterer Vorgang', 'weitere Vorgänge')}`}`,
      left: (name, count) =>
        count === 1
          ? `Ein offener Vorgang wartet auf jemanden, der gegangen ist: ${name}`
          : `${counted(count, 'Vorgang', 'offene Vorgänge')} warten auf jemanden, der gegangen ist: ${name}`,
      jobs: (name) => `Arbeit der Installation schlägt fehl: ${name}`,
      campaign: (name) => `Die Kampagne ${name} hat von selbst angehalten`,
      storage: (name) => `Der Datenträger von ${name} ist fast voll`,
      archive: () => 'Das Archiv der Datenbank wird nicht fortgeführt',
    },
    text: {
      mailbox: (name, problem, link) =>
        `Aus Mails an ${name} werden zurzeit keine Vorgänge. Der Mailserver meldet: ${problem}\n\nDie Postfächer: ${link}`,
      mails: (name, problem, link, count) =>
        `${counted(count, 'Mail', 'Mails')} an das Postfach ${name} ${count === 1 ? 'konnte nicht gespeichert werden oder ist' : 'konnten nicht gespeichert werden oder sind'} von unbekannten Absendern, daher hat kein Vorgang sie. Die letzte, von ${problem}\n\nNehmen Sie sie beim Postfach auf: ${link}`,
      source: (name, problem, link) =>
        `Die Quelle ${name} sendet, und nichts davon wird gespeichert: Keine Regel sieht es. Der letzte Grund: ${problem}\n\nDie Quellen: ${link}`,
      rule: (name, problem, link) => `Die Regel ${name} trifft vielleicht nicht zu, obwohl sie sollte. ${problem}\n\nDie Regeln: ${link}`,
      eventsGivenUp: (name, problem, link, count) =>
        `Der Empfänger des Ereignis-Abonnements ${name} hat ${counted(count, 'Ereignis', 'Ereignisse')} nicht angenommen, und von selbst wird nichts davon erneut gesendet. Der letzte Fehler: ${problem}\n\nSenden Sie erneut, wenn der Empfänger wieder arbeitet: ${link}`,
      report: (name, owner, link) =>
        `${owner}, dem der Bericht ${name} gehört, ist gegangen oder darf ihn nicht mehr ansehen, daher bekommen seine Empfänger keine Mail. Legen Sie einen neuen an, wenn sie ihn noch brauchen: ${link}`,
      failing: (name, problem, link) =>
        `Aufrufe von ${name} sind nacheinander fehlgeschlagen, daher warten Aufrufe, bis das Ziel wieder antwortet. Was sie melden sollten, kommt bis dahin nirgends an. Der letzte Fehler: ${problem}\n\nWas wartet: ${link}`,
      mail: (_name, problem, link) => `Mails warten, auch die von Alarmen. Der letzte Fehler: ${problem}\n\nWas wartet: ${link}`,
      undelivered: (name, problem, link, count) =>
        `${counted(count, 'Nachricht oder Aufruf', 'Nachrichten und Aufrufe')} von heute sind endgültig fehlgeschlagen, und niemand hat sich der Sache angenommen. Zuletzt, ${name}: ${problem}\n\nDie Aktivität: ${link}`,
      untold: (_name, units, link, count) =>
        `${counted(count, 'Vorgang', 'Vorgänge')} mit Sev0 oder Sev1 ${count === 1 ? 'ist' : 'sind'} seit einer Viertelstunde neu: ${units}. Keine Nachricht, kein Aufruf und kein Ereignis hat jemanden benachrichtigt, oder alle Schritte des Protokolls liefen und niemand hat geantwortet. Kümmern Sie sich darum, und sehen Sie nach, wen Regel und Protokoll benachrichtigen.\n\nDie Vorgänge: ${link}`,
      left: (name, units, link, count) =>
        `${counted(count, 'offener Vorgang ist', 'offene Vorgänge sind')} ${name} oder einer anderen Person zugewiesen, die deaktiviert ist oder hier keine Vorgänge mehr bearbeiten darf, oder auf deren Genehmigung angewiesen: ${units}. In keiner anderen Liste stehen sie. Weisen Sie sie jemand anderem zu, oder nennen Sie andere Genehmigende.\n\nDie Vorgänge: ${link}`,
      jobs: (name, problem, link, count) =>
        `${name}${count > 1 ? ` (insgesamt ${count})` : ''} ist im letzten Versuch fehlgeschlagen oder schlägt immer wieder fehl, daher geschieht nicht, was es für die Mandanten tut: ${problem}\n\nDie Installation: ${link}`,
      campaign: (name, reason, link) =>
        `Die Kampagne ${name} hat angehalten: ${reason}\n\nWas sie geändert hat, wird rückgängig gemacht, soweit die Kampagne das kann. Sehen Sie ihre Geräte an, bevor Sie eine neue starten: ${link}`,
      storage: (name, free, link) =>
        `Weniger als ein Zehntel des Datenträgers mit dem Datenordner von ${name} ist frei: ${free} Ist er voll, wird nichts mehr gespeichert, auch keine Pakete von Geräten. Schaffen Sie Platz, oder geben Sie ihm einen größeren Datenträger.\n\nDie Installation: ${link}`,
      archive: (_name, problem, link) =>
        `Was jetzt geschrieben wird, kann nicht aus dem Archiv wiederhergestellt werden, und das Log der Datenbank wächst im Datenordner, bis es wieder gesendet werden kann. Der letzte Fehler: ${problem}\n\nDie Installation: ${link}`,
    },
  },
  feeds: {
    units: (of) => `Offene Vorgänge: ${of}`,
    state: (state) => `Zustand: ${state}`,
    assigned: (name) => `Zugewiesen an ${name}`,
    unassigned: 'Niemandem zugewiesen',
    calendar: (tenant) => `Änderungen und Wartung: ${tenant}`,
    change: (id, title) => `Änderung #${id}: ${title}`,
    maintenance: (reason) => `Wartung: ${reason}`,
    freeze: (name) => `Keine Änderungen: ${name}`,
  },
  eventSubscription: {
    paused: {
      subject: (name) => `Das Ereignis-Abonnement ${name} pausiert`,
      text: (name, error, link) =>
        `Der Empfänger von ${name} hat drei Tage lang kein Ereignis angenommen, daher wird nichts mehr gesendet. Ereignisse werden weiter aufgezeichnet, 30 Tage lang. Der letzte Fehler: ${error}\n\nWenn der Empfänger wieder arbeitet, setzen Sie das Abonnement fort: ${link}`,
    },
    ended: {
      subject: (name) => `Das Ereignis-Abonnement ${name} ist beendet`,
      text: (name, error, link) =>
        `${error} Das Abonnement ${name} ist deaktiviert, und was wartete, ist abgebrochen.\n\nDas Abonnement: ${link}`,
    },
  },
  handover: {
    title: (schedule, from) => `Sie haben Bereitschaft: ${schedule}. Übergabe von ${from}`,
    noNote: (from) => `${from} hat noch keine Notiz geschrieben.`,
    facts: (units, open, messages) =>
      `${counted(units, 'Vorgang', 'Vorgänge')} in der Schicht, ${open} offen. ${counted(messages, 'Nachricht', 'Nachrichten')} des Plans.`,
  },
  report: {
    subject: (name, days) => `${name}: Vorgänge ${days}`,
    begin: (by, name, isTest) =>
      isTest ? `Ein Test des Berichts „${name}“, den nur Sie jetzt erhalten.` : `${by} lässt den Bericht „${name}“ an Sie senden.`,
    tenants: 'Mandanten',
    allTenants: 'alle, deren Vorgänge Sie ansehen dürfen',
    compared: (now, before) => `${now} (davor: ${before})`,
    inBrackets: (by) => `Nach ${by} unten; in Klammern der Zeitraum davor. Die angehängte Datei hat alle Zahlen.`,
    more: (groups) => `${groups === 1 ? 'Eine weitere Gruppe steht' : `${groups} weitere Gruppen stehen`} in der angehängten Datei.`,
    notOver: 'Der letzte Tag (UTC) war beim Senden noch nicht vorbei.',
    end: (link) => `Diese Mails abbestellen: ${link}`,
    link: 'Dieser Bericht im Portal:',
  },
  facts: {
    Condition: 'Bedingung',
    Seen: 'Beobachtet',
    Since: 'Seit',
    Runbook: 'Anleitung',
    Device: 'Gerät',
    Operation: 'Aufgabe',
    Block: 'Block',
    'Counted for': 'Gezählt für',
    Location: 'Standort',
    Subscription: 'Abonnement',
    'About the rule': 'Zur Regel',
    'Device page': 'Seite des Geräts',
    Rule: 'Regel',
  },
  unit: {
    customer: 'Vorgang {PublicWorkUnitId}: {Title}\nSchweregrad: {Severity}\nZustand: {State}\nMandant: {TenantName}',
    staff: 'Vorgang {PublicWorkUnitId}: {Title}\nSchweregrad: {Severity}\nZustand: {State}\nKunde: {TenantName}\nEröffnet: {Created}',
    acknowledge: 'Bestätigen: {AckUrl}',
    open: 'Öffnen: {WorkUnitUrl}',
  },
  push: {
    condition: (text) => `Bedingung: ${text}`,
    seen: (text) => `Beobachtet: ${text}`,
    device: (name) => `Gerät ${name}`,
    unit: (id, state, tenant) => `Vorgang ${id}, ${state}, ${tenant}`,
    acknowledge: 'Bestätigen',
    acknowledged: 'Bestätigt',
    since: 'Seit',
  },
  allClear: { title: (label) => `Entwarnung: ${label}`, text: 'Wieder normal.' },
  summary: {
    goesOn: 'DAUERT AN',
    ended: 'BEENDET',
    counts: (matches, rules, sites, ended) =>
      [
        `${counted(matches, 'Treffer', 'Treffer')}: ${counted(rules, 'Regel', 'Regeln')}${sites > 0 ? `, ${counted(sites, 'Standort', 'Standorte')}` : ''}`,
        ...(ended === 0 ? [] : [ended === matches ? 'alle sind beendet' : `${counted(ended, 'ist', 'sind')} beendet`]),
      ].join('; '),
    title: (isOver, severity, rule, customer, more) =>
      `${isOver ? 'Beendet: ' : ''}${severity === '' ? '' : `${severity}: `}${rule}, ${customer}${more > 0 ? ` und ${more.toLocaleString('de-DE')} weitere` : ''}`,
    units: (n, open) => `${n} ${n === 1 ? 'Vorgang' : 'Vorgänge'}, ${open} nicht bestätigt`,
    inQuietHours: (title) => `${title} in Ihren Ruhezeiten`,
    more: (n) => `und ${n} weitere`,
    since: (state, when) => `${state}, seit ${when}`,
    matches: (count, open) => `Treffer: ${count}, ${open} davon dauern an`,
    acknowledge: (link) => `Bestätigen: ${link}`,
    open: (link) => `Öffnen: ${link}`,
    endedAt: (when) => `Beendet: ${when}`,
    sinceFirst: (when) => `Seit: ${when}`,
    workUnit: (link) => `Vorgang: ${link}`,
  },
  digest: {
    subject: (n) => `${counted(n, 'neuer Eintrag', 'neue Einträge')} in Ihrem Posteingang`,
    intro: (name, n) =>
      `${name}, ${n === 1 ? 'ein Eintrag Ihres Posteingangs ist neu und ungelesen' : `${n.toLocaleString('de-DE')} Einträge Ihres Posteingangs sind neu und ungelesen`}.`,
    kinds: {
      Assigned: 'Ihnen zugewiesen',
      Approval: 'Wartet auf Ihre Genehmigung',
      Mentioned: 'Erwähnt Sie',
      CallMe: 'Bittet um Rückruf',
      Reply: 'Der Kunde hat geantwortet',
      AssignedToGroup: 'Ihrer Gruppe zugewiesen',
      Watched: 'Beobachtet oder Ihrer, und geändert',
    },
    unit: (id, tenant, title) => `#${id}, ${tenant}: ${title}`,
    more: (n) => `${counted(n, 'weiterer Eintrag', 'weitere Einträge')} im Posteingang.`,
    inbox: (link) => `Posteingang: ${link}`,
    doNow: (n, link) => `Jetzt zu tun: ${n.toLocaleString('de-DE')}, ${link}`,
    noMore: (link) => `Sie haben diese E-Mail gewählt. Hier ändern oder beenden Sie sie: ${link}`,
  },
  templates: {
    short: '{Label}\n\n{Facts}\nMandant: {TenantName}\nZeit: {Timestamp}\nVorgang: {WorkUnitUrl}',
    more: 'Treffer: {MatchCount}, der erste {FirstMatch}, der letzte {LastMatch}\nEndet: {Expires}\nRegeltreffer: {RuleMatchId}\nKorrelation: {CorrelationId}',
    head: 'Vorgang {PublicWorkUnitId}: {Title}\n\nZustand: {State}\nSchweregrad: {Severity}\nZugewiesen an: {AssignedTo}\nMandant: {TenantName}\n{WorkUnitUrl}',
    backToNormal: 'Wieder normal.\nBeendet: {Closed}',
    workUnit: 'Vorgang: {PublicWorkUnitId}',
    alert: 'Alarm: {Label}',
    securityAlert: 'Sicherheitsalarm: {Label}',
    allClear: 'Entwarnung: {Label}',
    ofUnit: 'Vorgang {PublicWorkUnitId}: {Label}',
    unit: 'Vorgang {PublicWorkUnitId}: {Title}',
    unitAlert: 'Alarm: {Title}',
    unitSecurityAlert: 'Sicherheitsalarm: {Title}',
    unitAllClear: 'Entwarnung: {Title}',
    received: 'Wir haben Ihre Anfrage {PublicWorkUnitId} erhalten',
    receivedText: 'Guten Tag {StakeHolderFullName},\n\nwir haben Ihre Anfrage „{Title}“ erhalten. Ihre Nummer ist {PublicWorkUnitId}.',
    resolved: 'Ihre Anfrage {PublicWorkUnitId} ist gelöst',
    resolvedText: 'Guten Tag {StakeHolderFullName},\n\nIhre Anfrage „{Title}“ ist gelöst.\n\n{Resolution}',
  },
};
