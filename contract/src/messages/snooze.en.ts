/** Texts of work units that are snoozed. */
const units = (n: number) => (n === 1 ? '1 work unit' : `${n} work units`);

export const snoozeTexts = {
  verb: 'Snooze…',
  words: 'later hide wait remind',
  menu: (n: number, id: number) => (n === 1 ? `Snooze work unit #${id}` : `Snooze ${units(n)}`),
  wake: 'Wake',
  done: (n: number, id: number) => (n === 1 ? `Work unit #${id} snoozed.` : `${units(n)} snoozed.`),
  woken: (n: number, id: number) => (n === 1 ? `Work unit #${id} is not snoozed any more.` : `${units(n)} are not snoozed any more.`),
  until: 'Snoozed until',
  by: 'by',
  orChange: 'or until something changes',
  notSnoozed: 'Not snoozed',
};
