/** German texts of the inbox. */
import type * as english from './inbox.en.ts';
import type { Texts } from './texts.ts';

export const inboxTexts: Texts<typeof english.inboxTexts> = {
  title: 'Posteingang',
  show: 'Anzeigen',
  tabs: {
    all: 'Alle',
    unread: 'Ungelesen',
    mentions: 'Erwähnungen',
    assigned: 'Zugewiesen',
    approvals: 'Genehmigungen',
    snoozed: 'Zurückgestellt',
  },
  failed: 'Ihr Posteingang konnte nicht geladen werden.',
  none: 'Nichts wartet auf Sie',
  noneText: 'Hier erscheinen Vorgänge, die Ihnen zugewiesen sind, Sie erwähnen, auf Ihre Entscheidung warten oder die Sie beobachten.',
  noneHere: 'Nichts vorhanden',
  kinds: {
    Assigned: 'Mir zugewiesen',
    Approval: 'Wartet auf meine Genehmigung',
    Mentioned: 'Erwähnt',
    CallMe: 'Rückruf',
    Reply: 'Kunde hat geantwortet',
    AssignedToGroup: 'Meiner Gruppe zugewiesen',
    Watched: 'Beobachtet oder meiner, und geändert',
  },
  did: {
    Assigned: 'hat Ihnen das zugewiesen',
    Approval: 'bittet um Ihre Entscheidung',
    Mentioned: 'hat Sie erwähnt',
    CallMe: 'bittet um einen Rückruf',
    Reply: 'hat geantwortet',
    AssignedToGroup: 'hat das Ihrer Gruppe zugewiesen',
    Watched: '',
  },
  read: 'Als gelesen markieren',
  unread: 'Als ungelesen markieren',
  allRead: 'Alle als gelesen markieren',
  snooze: 'Zurückstellen',
  snoozedUntil: 'Zurück',
  snoozes: { hour: 'Eine Stunde', afternoon: 'Vier Stunden', tomorrow: 'Bis morgen, 8:00', monday: 'Bis Montag, 8:00' },
  told: 'Was mir mitgeteilt wird',
  gone: 'Ein Vorgang, den Sie nicht mehr sehen dürfen',
  isUnread: 'Ungelesen',
  keys: { move: 'bewegen', open: 'öffnen', read: 'gelesen', snooze: 'zurückstellen' },
};
