/** German texts of the list of keyboard shortcuts. */
import type * as english from './keys.en.ts';
import type { Texts } from './texts.ts';

export const keysTexts: Texts<typeof english.keysTexts> = {
  ctrl: 'Strg',
  enter: 'Eingabe',
  title: 'Tastenkürzel',
  search: 'In die Suche springen',
  create: 'Erstellen',
  palette: 'Überallhin gehen, erstellen, Mandanten wechseln',
  move: 'Zwischen den Zeilen wechseln',
  open: 'Zeile öffnen',
  select: 'Zeile auswählen',
  selectAll: 'Alle Zeilen der Seite auswählen; nochmals drücken für die ganze Liste',
  act: 'Mit den ausgewählten Zeilen etwas tun; Vorgänge werden bestätigt',
  close: 'Bereich oder Dialog schließen',
  save: 'Formular speichern',
  help: 'Diese Liste anzeigen',
  message: 'Zur neuesten Meldung und ihrer Aktion gehen',
  theme: 'Zwischen hell und dunkel wechseln',
  anywhere: 'Überall',
  screens: 'Zu einer Seite gehen',
  lists: 'In einer Liste',
  panels: 'In einem Bereich',
  units: 'Vorgänge: der geöffnete, die Zeile mit dem Fokus oder die ausgewählten Zeilen',
  acknowledge: 'Bestätigen',
  assignToMe: 'Mir zuweisen',
  severity: 'Schweregrad wählen',
  resolve: 'Mit einem Text lösen',
  note: 'Notiz schreiben',
  watch: 'Beobachten oder nicht mehr beobachten',
  step: 'Weiter und zurück, solange einer geöffnet ist',
};
