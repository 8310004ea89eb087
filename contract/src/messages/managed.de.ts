/** German texts about rows of the configuration that are managed in Git. */
import type * as english from './managed.en.ts';
import type { Texts } from './texts.ts';

export const managedTexts: Texts<typeof english.managedTexts> = {
  managed: 'In Git verwaltet',
  from: (file, note) => (note ? `Übernommen aus ${file} (${note})` : `Übernommen aus ${file}`),
  open: 'Was hier geändert wird, gilt, bis der Ordner wieder übernommen wird.',
  protected: 'Geschützt: Ändern Sie die Datei, und übernehmen Sie den Ordner.',
};
