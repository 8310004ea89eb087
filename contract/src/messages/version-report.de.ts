/** German texts of the version report. */
import type * as english from './version-report.en.ts';
import type { Texts } from './texts.ts';

export const versionReportTexts: Texts<typeof english.versionReportTexts> = {
  emptyText: 'Zeilen erscheinen, wenn Softwarepakete auf Geräten installiert sind.',
  installedReleased: 'Installierte vom',
  latestReleased: 'Neueste vom',
  counters: 'Geräte',
  upToDate: 'Aktuelle Geräte',
  outOfDate: 'Veraltete Geräte',
  update: 'Veraltete aktualisieren',
  updateIn: (subscription) => `Veraltete in ${subscription} aktualisieren`,
  updateTo: (name, version, devices) =>
    `${name} auf ${version}, auf ${devices === 1 ? '1 Gerät' : `${devices.toLocaleString('de')} Geräten`}`,
  nothingToUpdate: 'Nichts ist mehr veraltet.',
  onlySome: (chosen, all) =>
    `Die ersten ${chosen.toLocaleString('de')} von ${all.toLocaleString('de')} Geräten sind gewählt. Aktualisieren Sie die anderen danach.`,
  overTime: 'Im Zeitverlauf',
  asList: 'Liste anzeigen',
  chart: {
    title: (packageName) => `${packageName}: Geräte nach Version`,
    package: 'Softwarepaket',
    range: 'Angezeigte Zeit',
    ranges: { '30': 'Letzte 30 Tage', '84': 'Letzte 12 Wochen', '365': 'Letztes Jahr' },
    share: 'Anteil der Geräte',
    asTable: 'Als Tabelle anzeigen',
    csv: 'CSV',
    csvOf: (title) => `${title} als CSV herunterladen`,
    tableOf: (title) => `${title} als Tabelle`,
    version: 'Version',
    devices: 'Geräte',
    day: 'Tag (UTC)',
    week: 'Woche (UTC)',
    others: (count) => (count === 1 ? '1 andere Version' : `${count} andere Versionen`),
    none: 'In dieser Zeit wurden keine Versionen gezählt.',
    noneText: 'Installierte Versionen werden alle zehn Minuten gezählt; die letzte Zählung jedes Tages wird gespeichert.',
    failed: 'Die Zählungen konnten nicht geladen werden.',
  },
  countsFailed: 'Die Zähler konnten nicht geladen werden.',
};
