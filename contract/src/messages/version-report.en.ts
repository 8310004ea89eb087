/** Texts of the version report. */
export const versionReportTexts = {
  emptyText: 'Rows appear when packages are installed on devices.',
  installedReleased: 'Installed Released',
  latestReleased: 'Latest Released',
  counters: 'Devices',
  upToDate: 'Up-to-date devices',
  outOfDate: 'Out-of-date devices',
  countsFailed: 'The counters could not be loaded.',
} as const;
