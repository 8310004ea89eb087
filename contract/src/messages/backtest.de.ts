/** German texts of the backtest of a rule. */
import type * as english from './backtest.en.ts';
import type { Texts } from './texts.ts';

export const backtestTexts: Texts<typeof english.backtestTexts> = {
  title: 'Rücktest',
  text: 'Was diese Regel mit den gespeicherten Datenpaketen getan hätte. Nichts wird gespeichert, und keine Aktion läuft.',
  period: 'Zeitraum',
  periods: { 1: 'Letzte Stunde', 24: 'Letzte 24 Stunden', 168: 'Letzte 7 Tage', 744: 'Letzte 31 Tage' },
  customPeriod: 'Von … bis …',
  from: 'Von',
  to: 'Bis',
  noTimes: 'Geben Sie Beginn und Ende des Zeitraums ein.',
  endsFirst: 'Der Zeitraum muss nach seinem Beginn enden.',
  tooLong: (days: number) => `Ein Rücktest umfasst höchstens ${days} ${days === 1 ? 'Tag' : 'Tage'}.`,
  byEntity: 'Treffer nach Gerät und Block',
  lastAt: (time: string) => `zuletzt ${time}`,
  firstEntities: (n: number, all: number) => `Die ${n} mit den meisten Treffern, von ${all}.`,
  start: 'Starten',
  stop: 'Stoppen',
  incomplete: 'Vervollständigen Sie zuerst die Regel. Ihre Reiter zeigen, was fehlt.',
  maintenance: 'Eine Wartungsregel hat keine Treffer, daher gibt es nichts zu testen.',
  queued: 'Wartet in der Warteschlange …',
  running: (packets: number) => (packets === 1 ? '1 Datenpaket gelesen …' : `${packets} Datenpakete gelesen …`),
  progress: 'Fortschritt des Rücktests',
  stopped: 'Vor dem Ende gestoppt.',
  notFound: 'Der Rücktest konnte nicht geladen werden. Rücktests werden eine Woche lang gespeichert.',
  changed: 'Die Regel wurde seit diesem Rücktest geändert. Starten Sie erneut, um die Wirkung zu sehen.',
  failed: (times: number, why: string) => (times === 1 ? `Einmal fehlgeschlagen: ${why}` : `${times}-mal fehlgeschlagen, zuerst: ${why}`),
  summary: (matches: number, entities: number) =>
    `${matches} Treffer von ${entities === 1 ? '1 Gerät oder Block' : `${entities} Geräten und Blöcken`}.`,
  effects: (actions: number, units: number) =>
    `${actions === 1 ? '1 Aktion wäre' : `${actions} Aktionen wären`} ausgeführt, ${units === 1 ? '1 Vorgang' : `${units} Vorgänge`} geöffnet worden.`,
  added: (units: number, added: number, reopened: number) =>
    [
      `${units === 1 ? '1 Vorgang wäre' : `${units} Vorgänge wären`} geöffnet worden`,
      ...(reopened > 0 ? [`${reopened} wieder geöffnet`] : []),
      `${added} Treffer zu offenen hinzugefügt`,
    ].join(', '),
  calls: (calls: number, steps: number, perDay: string) =>
    `${calls === 1 ? '1 Mail, Nachricht oder Anruf' : `${calls} Mails, Nachrichten und Anrufe`}${steps > 0 ? `, davon ${steps} durch den Ablaufplan` : ''}: ${perDay} pro Tag.`,
  summaries: (count: number) =>
    count === 1 ? '1 davon ist eine Zusammenfassung einer Gruppe.' : `${count} davon sind Zusammenfassungen von Gruppen.`,
  braked: (count: number) =>
    count === 1
      ? '1 Treffer liegt über der Grenze einer Meldungsflut und teilt sich einen Vorgang mit anderen.'
      : `${count} Treffer liegen über der Grenze einer Meldungsflut und teilen sich einen Vorgang.`,
  resolvedAfter: 'Vorgänge werden gelöst',
  resolvedAfters: {
    '01:00:00': '1 Stunde nach dem Öffnen',
    '04:00:00': '4 Stunden nach dem Öffnen',
    '24:00:00': 'einen Tag nach dem Öffnen',
    '744:00:00': 'nie',
  },
  perDay: 'Vorgänge und Anrufe pro Tag',
  day: 'Tag (UTC)',
  dayUnits: 'Vorgänge',
  dayCalls: 'Mails, Nachrichten, Anrufe',
  simulated: (n: number) =>
    n === 1 ? 'Der Ablaufplan wurde für 1 Vorgang simuliert.' : `Der Ablaufplan wurde für die ersten ${n} Vorgänge simuliert.`,
  matches: (n: number) => `${n} Treffer`,
  hits: (n: number) => (n === 1 ? 'einmal' : `${n}-mal`),
  timeline: (label: string, n: number) => `${label}: ${n} Treffer im Zeitraum`,
  draft: 'Wie jetzt geschrieben',
  inForce: 'Wie gespeichert',
  difference: (same: number, added: number, removed: number) => `Gleiche Treffer: ${same}, neu: ${added}, entfallen: ${removed}.`,
  list: 'Treffer, die begonnen hätten',
  none: 'Die Regel hätte nicht zugetroffen.',
  changes: 'Unterschied zur gespeicherten Regel',
  changeLists: {
    added: (n: number) => `Neu: ${n} Treffer`,
    removed: (n: number) => `Entfallen: ${n} Treffer`,
  },
  signs: { added: '+', removed: '−' },
  changeWords: { added: 'Neu:', removed: 'Entfallen:' },
  more: (n: number) => `${n} weitere anzeigen`,
  isAdded: 'neu',
  suppressed: { late: 'zu spät für Aktionen', maintenance: 'in Wartung' },
  newest: (n: number, all: number) => `Die neuesten ${n} von ${all} sind aufgeführt.`,
  whyThen: 'Wie die Regeln diesen Moment ausgewertet haben',
  unnamed: 'Gelöscht',
  ofTenants: {
    where: 'Wo',
    all: 'Bei allen Mandanten der Regel',
    one: (tenant: string) => `Nur bei ${tenant}`,
    text: 'Bei jedem Mandanten, dessen Regeln Sie ansehen dürfen, nacheinander, mit seinen Ausnahmen und eigenen Werten.',
    running: (done: number, all: number) => `${done} von ${all} Mandanten sind getestet …`,
    stopped: (done: number, all: number) => `Nach ${done} von ${all} Mandanten gestoppt.`,
    summary: (matching: number, tried: number) => `Bei ${matching} von ${tried} Mandanten.`,
    units: (units: number, calls: number) =>
      `Das hätte ${units === 1 ? '1 Vorgang' : `${units} Vorgänge`} und ${calls === 1 ? '1 Mail, Nachricht oder Anruf' : `${calls} Mails, Nachrichten und Anrufe`} verursacht.`,
    list: 'Nach Mandant',
    tenant: 'Mandant',
    difference: 'Neu, weg',
    states: { queued: 'Wartet', running: 'Läuft', stopped: 'Gestoppt', failed: 'Fehlgeschlagen' },
    more: (n: number) => `und ${n} weiteren`,
    off: (tenants: string) => `Sie gilt nicht bei ${tenants}.`,
    packets: (tenants: string, packets: string) => `Nicht getestet, weil zuvor ${packets} Datenpakete gelesen wurden: ${tenants}.`,
    ofSome: (note: string, n: number) => `${note} (${n === 1 ? '1 Mandant' : `${n} Mandanten`})`,
    back: 'Zurück zu allen Mandanten',
  },
};
