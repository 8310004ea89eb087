/** Texts of the queue of call backs. */
import type { CallBackOutcome } from '../resources/call-backs.ts';

export const callBackTexts = {
  title: 'Call backs',
  signal: (open: number, isOverdue: boolean) =>
    `${open === 1 ? '1 customer waits' : `${open} customers wait`} for a call${isOverdue ? ', one longer than was promised' : ''}`,
  dueIn: (left: string) => `Call within ${left}`,
  overdue: (by: string) => `Overdue by ${by}`,
  requested: 'asked',
  nobody: 'Nobody has taken it',
  takenBy: 'Taken by',
  take: "I'll call",
  takeLabel: (title: string) => `I'll call about ${title}`,
  taken: 'You have taken the call back. The customer sees that.',
  note: 'What was said',
  noteLabel: (title: string) => `What was said about ${title}`,
  outcomes: { Reached: 'Reached', NotReached: 'Not reached', NotNeeded: 'Not needed' } satisfies Record<CallBackOutcome, string>,
  outcomeLabel: (outcome: string, title: string) => `${outcome}: ${title}`,
  closed: {
    Reached: 'The call back is closed.',
    NotReached: 'The customer reads that you tried, and a new call back waits.',
    NotNeeded: 'The call back is closed.',
  } satisfies Record<CallBackOutcome, string>,
};
