/** German texts about mails that wait in the outbox. */
import type * as english from './outbox.en.ts';
import type { Texts } from './texts.ts';

export const outboxTexts: Texts<typeof english.outboxTexts> = {
  title: 'Postausgang',
  emptyText: 'Keine Mail wartet auf den Versand.',
  unsent: (n) => `${n === 1 ? '1 Mail wird' : `${n} Mails werden`} zurückgehalten, nicht gesendet: Es ist kein Mailserver eingestellt.`,
  why: 'Setzen Sie SMTP_URL, und sie werden gesendet. Nach 7 Tagen gelten sie als fehlgeschlagen.',
  show: 'Anzeigen',
  which: 'Welche Mails',
  waitingMails: 'Wartende Mails',
  ofActions: 'Mails von Aktionen',
  waits: 'Wartet',
  important: 'Wichtig',
  since: (when) => `seit ${when}`,
  to: 'An',
  tenant: 'Mandant',
  installation: 'Die Installation',
  cause: 'Die Aktion, die sie verfasst hat',
  preview: 'Vorschau',
  text: 'Text',
  unknown: 'Unbekannte Empfänger',
  noneSent: 'Noch keine Aktion hat eine Mail gesendet.',
  failed: 'Die Mails konnten nicht geladen werden.',
  forbidden: 'Sie dürfen nicht sehen, was Aktionen getan haben.',
  open: 'Öffnen',
  latest: (n) => `Die letzten ${n} Mails.`,
};
