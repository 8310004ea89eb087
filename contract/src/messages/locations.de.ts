/** German texts of the locations. */
import type * as english from './locations.en.ts';
import type { Texts } from './texts.ts';

export const locationTexts: Texts<typeof english.locationTexts> = {
  saveFailed: 'Beim Speichern des Standorts ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
  map: 'Auf der Karte anzeigen',
  devices: 'Geräte',
  emptyText: 'Erstellen Sie einen, um anzugeben, wo sich Geräte befinden.',
};
