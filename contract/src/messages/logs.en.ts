/** Texts of the logs of devices and of their operations. */
export const logTexts = {
  label: 'Logs',
  created: 'Created',
  type: 'Type',
  detail: 'Detail',
  operation: 'Operation',
  autoRefresh: 'Auto-refresh',
  autoRefreshHint: 'Reads the logs again every 30 seconds',
  refresh: 'Refresh the logs',
  read: 'Updated',
  allTypes: 'All types',
  typeFilter: 'Types of entries',
  none: 'No logs yet',
  noneOfType: 'No entries of this type',
  failed: 'The logs could not be loaded.',
  pages: 'Pages of the logs',
} as const;
