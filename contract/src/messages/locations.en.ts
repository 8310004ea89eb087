/** Texts of the locations. */
export const locationTexts = {
  saveFailed: 'A problem occurred saving the location. Please try again.',
  map: 'Show on the map',
  devices: 'Devices',
  emptyText: 'Create one to say where devices are.',
} as const;
