/** German sentences that explain what rules did. */
import type * as english from './explanations.en.ts';
import type { Texts } from './texts.ts';

const matches = (n: number): string => `${n} Treffer`;
const actions = (n: number): string => (n === 1 ? '1 Aktion' : `${n} Aktionen`);

export const explanationTexts: Texts<typeof english.explanationTexts> = {
  condition: {
    failed: (number, text, saw) => `Bedingung ${number} (${text}): ${saw}.`,
    nothing: 'nichts',
    noMatch: 'keinen Treffer von ihr',
    holds: 'erfüllt',
    notOften: 'erfüllt, aber noch nicht oft genug',
    oftenEnough: 'nicht erfüllt, aber oft genug gewesen',
    holdsNot: 'nicht erfüllt',
    saw: (value, verdict) => `sah ${value}, ${verdict}`,
    sawAgainst: (value, than, verdict) => `sah ${value} verglichen mit ${than}, ${verdict}`,
    sawUsual: (value, deviations, verdict) => `sah ${value}, ${deviations}, ${verdict}`,
    sawTooEarly: (value, few) => `sah ${value}, was sich noch nicht vergleichen lässt: ${few}`,
    notAsked: (value) => `sah ${value}, wonach nicht gefragt war`,
    notReported: 'wurde nicht gemeldet',
    noTwoReadings: 'hatte keine zwei Messwerte zu vergleichen',
    nothingToCompare: 'hat nichts, womit sie vergleicht',
    fills: (seconds, since) => `hat erst einen Wert, wenn sie ${seconds} s gezählt hat; sie zählt seit ${since}`,
    inRow: (n, of) => `${n} von ${of} in Folge`,
    times: (n, of) => `${n} von ${of}`,
    since: (time) => `seit ${time}`,
    fewValues: (needed, there) => `${needed} Werte dieser Stunde sind nötig, vorhanden: ${there}`,
    fewWeeks: (needed, there) =>
      `Werte dieser Stunde aus ${needed === 1 ? '1 Woche' : `${needed} Wochen`} sind nötig, ${there === 0 ? 'vorhanden sind keine' : `vorhanden aus ${there === 1 ? '1 Woche' : `${there} Wochen`}`}`,
  },
  outcomes: {
    hit: 'Die Regel traf zu und begann einen Treffer.',
    repeated: 'Die Regel traf zu und wurde im offenen Treffer gezählt.',
    late: 'Die Regel traf zu, aber das Datenpaket kam so spät, dass ihr Treffer vorbei war: Ihre Aktionen liefen nicht.',
    suppressed:
      'Die Regel traf zu und begann einen Treffer; seine Aktionen warten auf das Ende einer Wartung, oder sie endeten darin mit dem Treffer.',
    miss: 'Die Regel traf nicht zu.',
    outsideTime: 'Die Bedingungen waren erfüllt, aber nicht zu den Zeiten, zu denen die Regel gilt.',
    stale: 'Das Datenpaket war bei seiner Ankunft älter als das neueste; es wurde gespeichert und nicht ausgewertet.',
    failed: 'Die Regel konnte nicht ausgewertet werden.',
    disabled: 'Die Regel war zu dieser Zeit deaktiviert.',
    absent: 'Die Regel gab es zu dieser Zeit nicht.',
    outOfScope: 'Die Entität gehört zu einem anderen Mandanten oder Abonnement als die Regel.',
    noPacket: 'Die Entität hatte bis dahin kein Datenpaket gesendet.',
    notEvaluated: 'Zu dieser Regel und dieser Entität ist bis dahin nichts aufgezeichnet.',
  },
  wouldMatch: 'Die Regel hätte zugetroffen.',
  wouldHold: 'Sie hätte zugetroffen.',
  byCampaign: (campaign) => `Ausgewertet nach der neuen Fassung, die die Kampagne ${campaign} für dieses Gerät in Kraft gesetzt hatte.`,
  selectionsNow: 'Die Auswahlen des Geräts sind genommen, wie sie jetzt sind.',
  byException: (of, by, reason, until) =>
    `Ausgewertet nach der Ausnahme für ${of} (${by}${until === null ? '' : `, bis ${until}`}: ${reason}).`,
  offByException: (of, by, reason, until) =>
    `Die Regel gilt nicht wegen der Ausnahme für ${of} (${by}${until === null ? '' : `, bis ${until}`}: ${reason}).`,
  exceptionOf: {
    Device: 'dieses Gerät',
    Name: 'den Namen',
    Location: 'seinen Standort',
    Tag: 'den Tag',
    Subscription: 'sein Abonnement',
    Tenant: 'diesen Mandanten',
    Group: 'eine Gruppe von Mandanten',
  },
  recoveryEnded: (at) => `Die Erholungsbedingungen beendeten den Treffer: ${at}.`,
  reportEnded: (at) => `Die Entität meldete sich wieder, was den Treffer beendete: ${at}.`,
  recoveryEnds: (since, at) =>
    `Die Erholungsbedingungen sind seit ${since} erfüllt: Der Treffer endet ${at}, wenn die Regel nicht vorher wieder zutrifft.`,
  reportEnds: (since, at) =>
    `Die Entität meldet sich wieder seit ${since}: Der Treffer endet ${at}, wenn die Regel nicht vorher wieder zutrifft.`,
  recoveryHadEnded: (since, at) => `Die Erholungsbedingungen sind seit ${since} erfüllt: Der Treffer endete ${at}.`,
  reportHadEnded: (since, at) => `Die Entität meldet sich wieder seit ${since}: Der Treffer endete ${at}.`,
  recoveryEndedIt: 'Die Erholungsbedingungen waren erfüllt und beendeten den Treffer.',
  reportEndedIt: 'Die Entität meldete sich wieder, was den Treffer beendete.',
  heldActions: (holder) => `Die Aktionen wurden zurückgehalten, ${holder}.`,
  heldActionsUntil: (holder, until) => `Die Aktionen wurden bis ${until} zurückgehalten, ${holder}.`,
  holders: (names) => `durch ${names.join(' und ')}`,
  heldByAny: 'durch eine Wartung',
  change: (number, reason) => `Änderung #${number} (${reason})`,
  window: (reason) => `die Wartung „${reason}“`,
  windowOfSelection: (reason, selection) => `die Wartung „${reason}“ der Auswahl ${selection}`,
  rule: (name) => `die Regel ${name}`,
  flaps: (changes) => `Sie flattert: ${changes} Wechsel innerhalb einer Stunde.`,
  clockAhead: (seconds) => `Die Uhr des Senders ging ${seconds} s vor: Das Datenpaket wurde zur Zeit seines Empfangs ausgewertet.`,
  clockBehind: (seconds) => `Der Sender ist immer ${seconds} s zurück: Das Datenpaket wurde zur Zeit seines Empfangs ausgewertet.`,
  lateInPlace: (late) => `Es kam nach einem Datenpaket an, das ${late} neuer ist, und wurde an seiner Stelle ausgewertet.`,
  tooLate: (late, by, grace) =>
    `Es kam nach einem Datenpaket an, das ${late} neuer ist: ${by} zu spät für die Regel, die ${grace} Verspätung zulässt.`,
  onlyStored: (late) =>
    `Es kam nach einem Datenpaket an, das ${late} neuer ist; was sich die Regel bis dahin gemerkt hatte, war nicht mehr da, deshalb wurde das Datenpaket nur gespeichert.`,
  seconds: (n) => `${String(n).replace('.', ',')} s`,
  stormOfTenant:
    'Zu viele Treffer dieser Regel hatten innerhalb einer Minute begonnen, deshalb wurden weitere zu einer Gruppe (Sturmbremse).',
  storm: (limit) =>
    `Mehr als ${limit} Treffer dieser Regel, oder zu viele ihres Mandanten, hatten innerhalb einer Minute begonnen, deshalb wurden weitere zu einer Gruppe (Sturmbremse).`,
  inferred: (reason) => `Gefolgert: ${reason}.`,
  waitsForGroup: 'Seine Aktionen warten auf seine Gruppe.',
  waitsForCause: 'Seine Aktionen warten auf das, was zeigt, warum die Entität verstummte.',
  groupSize: (n, open) => `${matches(n)}, ${open} offen`,
  groupOpened: (shared, size) => `Er eröffnete die Gruppe „${shared}“ (${size}): Seine Aktionen liefen für alle ihre Treffer.`,
  groupOpenedIn: (shared, size, unit) =>
    `Er eröffnete die Gruppe „${shared}“ (${size}) im Vorgang ${unit}: Seine Aktionen liefen für alle ihre Treffer.`,
  groupJoined: (shared, size, first, at) =>
    `Er kam zur Gruppe „${shared}“ (${size}), die „${first}“ eröffnet hatte (${at}): Die Aktionen liefen für jenen Treffer, nicht noch einmal für diesen.`,
  groupJoinedIn: (shared, size, first, at, unit) =>
    `Er kam zur Gruppe „${shared}“ (${size}) im Vorgang ${unit}, die „${first}“ eröffnet hatte (${at}): Die Aktionen liefen für jenen Treffer, nicht noch einmal für diesen.`,
  neverReported: 'Die Entität hat sich nie gemeldet: Sie ist stumm, seit sie angelegt wurde.',
  outagesDoNotCount:
    'Zeiten, in denen die Installation keine Datenpakete annahm, zählen nicht als Stummheit, und die übliche Zeit zwischen zwei Datenpaketen danach auch nicht.',
  noMatchEvent: 'Bis dahin war mit keinem Treffer dieser Entität, den die Regel betrachtet, etwas geschehen.',
  noUnitEvent: 'Bis dahin ist keine Änderung dieses Vorgangs aufgezeichnet.',
  noSums: 'Es sind zu viele Datenpakete, um sie noch einmal zu summieren, oder niemand sah zu dieser Zeit nach.',
  onlyRecord: (type) => `Bei Regeln der Art ${type} lässt sich nur zeigen, was aufgezeichnet wurde.`,
  unknownType: 'unbekannt',
  matchNotOnRecord:
    'Ihr Treffer ist nicht aufgezeichnet: Er kann einen Moment später begonnen haben, oder die Regel wurde im selben Moment geändert.',
  ruleChangedThen: 'Ihr Treffer ist nicht aufgezeichnet: Die Regel kann im selben Moment geändert worden sein.',
  noMatchOpen: 'Sie trifft gerade erst zu, oder ihr Treffer ist vorbei: Kein Treffer von ihr ist offen.',
  lookedBack: 'Nur die letzten 2.000 Datenpakete wurden betrachtet: Was sich ein Muster merkt, kann weiter zurückreichen.',
  keepsInMaintenance: 'Sie hält die Entität in Wartung.',
  countedTooLittle: 'Was die Regel zählt, war nicht oft oder lange genug da.',
  aboutSubscription: 'Der Treffer betrifft ihr Abonnement oder eine Gruppe, zu der sie gehört.',
  aboutDevice: 'Der Treffer betrifft ihr Gerät.',
  entityDisabled: 'Die Entität ist jetzt deaktiviert: Ihre Datenpakete werden abgelehnt, und ihre Stummheit wird nicht ausgewertet.',
  notes: {
    asNow: 'Entitäten, Ausnahmen, Wartungsregeln und Ablaufpläne wurden genommen, wie sie jetzt sind.',
    noStorms: 'Stürme und die Zusammenfassungen von Gruppen wurden nicht gezählt; niemand bestätigte einen Vorgang, bevor er gelöst wurde.',
    hitsNotKept:
      'Aufgezeichnet sind nur der Beginn, die letzte Erfüllung und das Ende eines Treffers: Was dazwischen lag, wurde hier nicht ausgewertet, deshalb können Treffer öfter gezählt worden sein oder begonnen haben.',
    firstMatches: (n) => `Nur die ersten ${n} Treffer wurden betrachtet.`,
    firstEntities: (n) => `Nur ${n} Entitäten wurden betrachtet.`,
    changesAsAudited: 'Jede Änderung eines Vorgangs wurde ausgewertet, wie das Protokoll sie aufgezeichnet hat.',
    sumsEveryFiveSeconds:
      'Summen wurden alle fünf Sekunden geprüft, wie im Betrieb: Ein Treffer kann bis zu fünf Sekunden früher oder später begonnen haben.',
    silenceEveryFiveSeconds:
      'Stummheit wurde alle fünf Sekunden geprüft, wie im Betrieb: Ein Treffer kann bis zu fünf Sekunden früher oder später begonnen haben.',
    toldLate: 'Treffer, die vorbei waren, bevor ihre Datenpakete ankamen, zählen als gemeldet: Die Regel meldet, so spät es auch ist.',
    otherRules: 'Ob andere Regeln zutrafen, wurde der Aufzeichnung ihrer Treffer entnommen.',
    baselines: (few, enough) =>
      `${few === 1 ? 'Eine Entität hatte' : `${few} Entitäten hatten`} zu manchen Zeiten zu wenige Werte aus früheren Wochen; dann ist die Bedingung nicht erfüllt. Genug hatten zu manchen Zeiten ${enough}.`,
  },
  summary: {
    noPacket: 'Die Entität hatte bis dahin kein Datenpaket gesendet, und keine Regel über Stummheit traf zu.',
    nobody: 'Keine Regel traf zu, deshalb wurde niemand benachrichtigt.',
    matched: (n) => (n === 1 ? '1 Regel traf zu' : `${n} Regeln trafen zu`),
    ran: (n) => `${actions(n)} ${n === 1 ? 'lief' : 'liefen'}`,
    waiting: (n) => `${actions(n)} ${n === 1 ? 'wird' : 'werden'} noch einmal versucht`,
    failed: (n) => `${actions(n)} ${n === 1 ? 'schlug' : 'schlugen'} fehl`,
    notRun: (n) => `${actions(n)} ${n === 1 ? 'lief' : 'liefen'} nicht`,
    actionsHeld: (holder) => `Aktionen werden zurückgehalten, ${holder}`,
    actionsHeldUntil: (holder, until) => `Aktionen werden bis ${until} zurückgehalten, ${holder}`,
    none: 'keine ihrer Aktionen ist aufgezeichnet',
  },
};
