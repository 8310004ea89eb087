/** German texts of campaigns: work on many devices. */
import type { CampaignKind } from '../enums.ts';
import type * as english from './campaigns.en.ts';
import type { Texts } from './texts.ts';

const number = (n: number) => n.toLocaleString('de');
const devices = (n: number) => (n === 1 ? '1 Gerät' : `${number(n)} Geräte`);
/** After prepositions such as "auf" and "von". */
const toDevices = (n: number) => (n === 1 ? '1 Gerät' : `${number(n)} Geräten`);
const are = (n: number) => (n === 1 ? '1 ist' : `${number(n)} sind`);

const already: Partial<Record<CampaignKind, (n: number) => string>> = {
  RunOperation: (n) => (n === 1 ? 'wartet bereits auf eine Ausführung davon.' : 'warten bereits auf eine Ausführung davon.'),
  InstallVersion: (n) => `${n === 1 ? 'hat' : 'haben'} diese Version bereits; dort ändert sich nichts.`,
  RemovePackage: (n) => `${n === 1 ? 'hat' : 'haben'} dieses Softwarepaket nicht; dort ändert sich nichts.`,
  RestartAgent: (n) => (n === 1 ? 'wartet bereits auf einen Neustart.' : 'warten bereits auf einen Neustart.'),
  AddOperations: (n) => `${n === 1 ? 'hat' : 'haben'} diese Aufgaben bereits.`,
  Move: (n) => `${n === 1 ? 'ist' : 'sind'} bereits dort.`,
};

const unable: Partial<Record<CampaignKind, (n: number) => string>> = {
  RemovePackage: (n) =>
    n === 1
      ? 'hat aktivierte Aufgaben, die es brauchen; es schlägt fehl.'
      : 'haben aktivierte Aufgaben, die es brauchen; sie schlagen fehl.',
  RunOperation: (n) =>
    n === 1
      ? 'hat nicht genau eine solche Aufgabe, die aktiviert ist und auf Anforderung läuft; es schlägt fehl.'
      : 'haben nicht genau eine solche Aufgabe, die aktiviert ist und auf Anforderung läuft; sie schlagen fehl.',
  InstallVersion: (n) =>
    n === 1
      ? 'hat ein anderes Betriebssystem als diese Version; es schlägt fehl.'
      : 'haben ein anderes Betriebssystem als diese Version; sie schlagen fehl.',
};

const versionBack =
  'Schlägt ein Ring fehl, stoppt die Kampagne und stellt auf den Geräten, die sie geändert hat, die vorherige Version wieder her.';

export const campaignTexts: Texts<typeof english.campaignTexts> = {
  title: 'Kampagnen',
  emptyText: 'Wählen Sie Geräte in ihrer Liste aus und dann, was mit allen geschehen soll.',
  toDevices: 'Geräte auswählen',
  actions: 'Aktionen für die ausgewählten Geräte',
  action: {
    RunOperation: 'Aufgabe ausführen',
    InstallVersion: 'Installieren',
    RemovePackage: 'Software entfernen',
    RestartAgent: 'Neu starten',
    AddOperations: 'Aufgaben hinzufügen',
    SetTracing: 'Tracing',
    EditTags: 'Tags bearbeiten',
    Move: 'Verschieben',
  },
  question: {
    RunOperation: (n: number) => `Eine Aufgabe auf ${toDevices(n)} ausführen`,
    InstallVersion: (n: number) => `Eine Version auf ${toDevices(n)} installieren`,
    RemovePackage: (n: number) => `Ein Softwarepaket von ${toDevices(n)} entfernen`,
    RestartAgent: (n: number) => `Die Agenten von ${toDevices(n)} neu starten`,
    AddOperations: (n: number) => `Aufgaben zu ${toDevices(n)} hinzufügen`,
    SetTracing: (n: number) => `Tracing auf ${toDevices(n)} einstellen`,
    EditTags: (n: number) => `Die Tags von ${toDevices(n)} bearbeiten`,
    Move: (n: number) => `${devices(n)} verschieben`,
  },
  explained: {
    RunOperation: 'Jedes Gerät führt die Aufgabe einmal aus, sobald es verbunden ist.',
    InstallVersion:
      'Jedes Gerät lädt diese Version herunter und installiert sie. Schlägt dort ihre Prüfung fehl, wird die vorherige Version wiederhergestellt.',
    RemovePackage: 'Jedes Gerät deinstalliert das Softwarepaket. Dessen Aufgaben können dort nicht mehr laufen.',
    RestartAgent: 'Jeder Agent misst einige Sekunden lang nicht; kein gemessener Wert geht verloren.',
    AddOperations: 'Jedes Gerät erhält eine Kopie der Aufgaben eines Geräts, das Sie wählen, mit deren Parametern und Intervallen.',
    SetTracing: 'Agenten von Geräten mit Tracing protokollieren jeden Aufruf und jede Messung, bis die Zeit um ist.',
    EditTags: 'Tags sind Wörter an einem Gerät, mit denen Listen und Regeln es finden. Seine übrigen Tags bleiben.',
    Move: 'Die Geräte gehören danach zu diesem Standort oder Abonnement. Was leer bleibt, ändert sich nicht.',
  },
  start: {
    RunOperation: (n: number) => `Auf ${toDevices(n)} ausführen`,
    InstallVersion: (n: number) => `Auf ${toDevices(n)} installieren`,
    RemovePackage: (n: number) => `Von ${toDevices(n)} entfernen`,
    RestartAgent: (n: number) => `${devices(n)} neu starten`,
    AddOperations: (n: number) => `Zu ${toDevices(n)} hinzufügen`,
    SetTracing: (n: number) => `Auf ${toDevices(n)} einstellen`,
    EditTags: (n: number) => `${devices(n)} bearbeiten`,
    Move: (n: number) => `${devices(n)} verschieben`,
  },
  operation: 'Aufgabe',
  label: 'Bezeichnung',
  addMissing: (n: number) => `Zuerst zu ${toDevices(n)} ohne diese Aufgabe hinzufügen, mit Standardwerten`,
  disableOperations: (n: number) => `Die Aufgaben deaktivieren, die es brauchen, auf ${toDevices(n)}`,
  anyLabel: 'Die einzige des Geräts',
  package: 'Softwarepaket',
  version: 'Version',
  choose: 'Bitte wählen',
  onDevices: (name: string, n: number) => `${name} (auf ${toDevices(n)})`,
  noOperations: 'Kein Softwarepaket hat hier eine Aufgabe, die auf Anforderung läuft.',
  noPackages: 'Keines dieser Geräte hat ein installiertes Softwarepaket.',
  more: 'Mehr',
  copyFrom: 'Kopieren von',
  copyFromHelp: 'Ein Gerät, dessen Aufgaben so sind, wie sie sein sollen.',
  operations: 'Aufgaben',
  noCopies: 'Dieses Gerät hat keine Aufgaben.',
  addTags: 'Tags hinzufügen',
  removeTags: 'Tags entfernen',
  tagsHelp: 'Durch Kommas getrennt.',
  rings: {
    use: 'In Ringen ausrollen',
    useHelp: 'Beginnt auf wenigen Geräten und geht weiter, wenn es dort gelingt. Sonst stoppt es automatisch.',
    list: 'Ringe',
    kind: (at: number) => `Auswahl für Ring ${at}`,
    share: 'Anteil',
    tag: 'Tag',
    shareOf: (at: number) => `Prozent bis Ring ${at}`,
    tagOf: (at: number) => `Tag von Ring ${at}`,
    devices,
    rest: (n: number | undefined) =>
      n === undefined ? 'Letzter Ring: alle übrigen' : `Letzter Ring: ${n === 1 ? 'das übrige' : 'die übrigen'} ${devices(n)}`,
    add: 'Ring hinzufügen',
    remove: (at: number) => `Ring ${at} entfernen`,
    minShare: 'Muss gelingen, in Prozent eines Rings',
    minShareHelp: 'Geräte, die nicht antworten, zählen nicht.',
    pause: 'Pause nach jedem Ring, in Minuten',
    heartbeat: 'Die Geräte müssen sich danach melden',
    rules: 'Regeln, die auf den Geräten nicht zutreffen dürfen',
    addRule: 'Regel hinzufügen',
    removeRule: (name: string) => `Regel ${name} entfernen`,
    undone: {
      InstallVersion: versionBack,
      RemovePackage: versionBack,
      AddOperations: 'Schlägt ein Ring fehl, stoppt die Kampagne und entfernt die Aufgaben, die sie hinzugefügt hat.',
    },
    stops: 'Schlägt ein Ring fehl, stoppt die Kampagne: Was nicht begonnen hat, wird zurückgezogen, was geschehen ist, bleibt.',
    wrongShares: 'Jeder Anteil ist größer als der vorige und kleiner als 100.',
    wrongTag: 'Bitte nennen Sie ein Tag.',
    wrongGate: 'Der Anteil, der gelingen muss, ist 1 bis 100, die Pause 0 bis 10.080.',
  },
  choicesFailed: 'Was diese Geräte haben, konnte nicht geladen werden.',
  counting: 'Die Geräte werden geprüft …',
  previewFailed: 'Wie viele Geräte betroffen sind, konnte nicht ermittelt werden. Sie können trotzdem starten.',
  tooMany: (max: number) => `Wählen Sie höchstens ${devices(max)} aus.`,
  preview: {
    acts: (n: number) => `${devices(n)} ${n === 1 ? 'kann' : 'können'} sofort beginnen.`,
    offline: (n: number) => `${are(n)} offline: ${n === 1 ? 'Es beginnt' : 'Sie beginnen'} nach der Rückkehr, innerhalb von 24 Stunden.`,
    already: (kind: CampaignKind, n: number) => `${number(n)} ${already[kind]?.(n) ?? (n === 1 ? 'ist bereits so.' : 'sind bereits so.')}`,
    unable: (kind: CampaignKind, n: number) =>
      `${number(n)} ${unable[kind]?.(n) ?? (n === 1 ? 'kann es nicht; es schlägt fehl.' : 'können es nicht; sie schlagen fehl.')}`,
    disabled: (n: number) => `${are(n)} deaktiviert; ${n === 1 ? 'es schlägt' : 'sie schlagen'} fehl.`,
  },
  started: 'Die Kampagne hat begonnen.',
  progress: 'Fortschritt',
  progressText: (ended: number, total: number) => `${number(ended)} von ${number(total)}`,
  outcomes: {
    Waiting: 'Wartet',
    Running: 'Läuft',
    Done: 'Fertig',
    Failed: 'Fehlgeschlagen',
    Stopped: 'Gestoppt',
    Returning: 'Wird zurückgesetzt',
    Returned: 'Zurückgesetzt',
  },
  page: {
    label: 'Kampagne',
    back: 'Alle Kampagnen',
    startedBy: 'Gestartet von',
    versionsOverTime: 'Versionen im Zeitverlauf',
    device: 'Gerät',
    output: 'Ausgabe',
    outputOf: (device: string) => `Ausgabe von ${device}`,
    noneText: 'Wählen Sie ein anderes Ergebnis oder leeren Sie die Suche.',
    stop: 'Stoppen',
    stopQuestion: (waiting: number) =>
      `Diese Kampagne stoppen? ${devices(waiting)} ${waiting === 1 ? 'wartet: Die Anforderung wird' : 'warten: Die Anforderungen werden'} zurückgezogen. Geräte, die schon begonnen haben, schließen ab.`,
    stopping: 'Die Kampagne stoppt.',
    rings: 'Ringe',
    ring: (at: number) => `Ring ${at}`,
    ringOf: (at: number, count: number) => `Ring ${at} von ${count} läuft.`,
    announced: (state: string, progress: string, failed: number) =>
      `${state}: ${progress}${failed > 0 ? `, ${failed} fehlgeschlagen` : ''}.`,
    upTo: (share: number) => `bis ${share} %`,
    ofTag: 'nach Filter',
    others: 'alle übrigen',
    ringStates: { before: 'Bestanden', skipped: 'Übersprungen', now: 'Aktuell', paused: 'Pause', after: 'Nicht begonnen' },
    skippedBy: 'von',
    watching: (until: string, note: string) => `Beobachtung bis spätestens ${until}: ${note}`,
    pauseUntil: 'Die Bedingung ist erfüllt; der nächste Ring beginnt',
    pauseUntilAll: 'Die Bedingung ist erfüllt; die neue Version gilt für alle',
    gate: (share: number) => `${share} % müssen gelingen`,
    gateOfRule: (share: number) => `${share} % müssen ohne Treffer bleiben`,
    gateHeartbeat: 'Geräte müssen sich danach melden',
    gateRules: (n: number) => (n === 1 ? '1 Regel darf nicht zutreffen' : `${n} Regeln dürfen nicht zutreffen`),
    gatePause: (minutes: number) =>
      `Pause von ${minutes % 1_440 === 0 ? `${minutes / 1_440} d` : minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`}`,
    continue: 'Jetzt fortsetzen',
    continueQuestion: (count: number) =>
      `Den nächsten Ring (${count === 1 ? '1 weiteres Gerät' : `${number(count)} weitere Geräte`}) ohne weiteres Warten beginnen?`,
    continued: 'Der nächste Ring beginnt.',
    adopt: 'Für alle in Kraft setzen',
    adoptQuestion: 'Die neue Version ohne weiteres Warten für alles in Kraft setzen, was die Regel betrifft?',
    adopted: 'Die neue Version ist in Kraft.',
    return: 'Stoppen und zurücksetzen',
    returnOver: 'Zurücksetzen',
    returnQuestion: (n: number) =>
      `Die vorherige Version auf ${toDevices(n)} wiederherstellen, ${n === 1 ? 'das' : 'die'} diese Kampagne geändert hat? Was nicht begonnen hat, wird zurückgezogen.`,
    removeQuestion: (n: number) =>
      `Die Aufgaben, die diese Kampagne hinzugefügt hat, auf ${toDevices(n)} entfernen? Was nicht begonnen hat, wird zurückgezogen. Ausführungen und Ergebnisse bleiben.`,
    returning: 'Die vorherige Version wird wiederhergestellt.',
    removing: 'Die Aufgaben werden entfernt.',
    rule: 'Regel öffnen',
    ruleQuestion: (n: number) => `Diese Kampagne stoppen? Für ${devices(n)} gilt dann wieder die vorherige Version der Regel.`,
    ruleStopping: 'Die vorherige Version wird wiederhergestellt.',
    pause: 'Pausieren',
    pauseDone: 'Die Kampagne pausiert. Kein weiteres Gerät und kein weiterer Ring beginnt.',
    paused: 'Pausiert',
    pausedBy: 'Pausiert von',
    resume: 'Fortsetzen',
    resumed: 'Die Kampagne geht weiter.',
    retry: (n: number) => `Fehlgeschlagene wiederholen (${number(n)})`,
    retrying: (n: number) => `Die Kampagne beginnt auf ${toDevices(n)} erneut.`,
    all: 'Alle',
  },
};
