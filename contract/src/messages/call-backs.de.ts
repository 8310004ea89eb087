/** German texts of the queue of call backs. */
import type * as english from './call-backs.en.ts';
import type { Texts } from './texts.ts';

export const callBackTexts: Texts<typeof english.callBackTexts> = {
  title: 'Rückrufe',
  signal: (open: number, isOverdue: boolean) =>
    `${open === 1 ? '1 Kunde wartet' : `${open} Kunden warten`} auf einen Rückruf${isOverdue ? ', einer länger als zugesagt' : ''}`,
  dueIn: (left: string) => `Anrufen innerhalb von ${left}`,
  overdue: (by: string) => `Überfällig seit ${by}`,
  requested: 'angefordert',
  nobody: 'Von niemandem übernommen',
  takenBy: 'Übernommen von',
  take: 'Ich rufe an',
  takeLabel: (title: string) => `Ich rufe an wegen ${title}`,
  taken: 'Sie haben den Rückruf übernommen. Der Kunde sieht das.',
  note: 'Was besprochen wurde',
  noteLabel: (title: string) => `Was besprochen wurde zu ${title}`,
  outcomes: { Reached: 'Erreicht', NotReached: 'Nicht erreicht', NotNeeded: 'Nicht nötig' },
  outcomeLabel: (outcome: string, title: string) => `${outcome}: ${title}`,
  closed: {
    Reached: 'Der Rückruf ist erledigt.',
    NotReached: 'Der Kunde liest, dass Sie es versucht haben, und ein neuer Rückruf wartet.',
    NotNeeded: 'Der Rückruf ist erledigt.',
  },
};
