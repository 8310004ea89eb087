import { expect, it } from 'vitest';
import { mailTexts } from '@cloudfit/contract/messages/mails.en.ts';
import { summaryOf, type SummaryPart } from './summary.ts';

const part = (change: Partial<SummaryPart>): SummaryPart => ({
  title: `Subject of ${change.rule ?? 'Hot'}`,
  severity: 'Sev3',
  rule: 'Hot',
  customer: 'Fjord Power',
  site: 'Oslo',
  isGroup: false,
  matches: 1,
  open: 1,
  isOver: false,
  text: 'The whole text.',
  short: 'In short.',
  ...change,
});
const summary = (...parts: SummaryPart[]) => summaryOf(parts, (item) => item, { texts: mailTexts.summary });

it('names the worst of what goes on, its rule and customer', () => {
  const over = part({ severity: 'Sev0', rule: 'Fire', isOver: true, open: 0 });
  expect(summary(part({}), part({ severity: 'Sev1', rule: 'Pump' }), part({ severity: null, rule: 'Note' }), over).title).toBe(
    'Sev1: Pump, Fjord Power and 3 more',
  );
  expect(summary(part({ severity: null, rule: 'Note' })).title).toBe('Note, Fjord Power');
  expect(summary(part({ isOver: true, open: 0 }), over).title).toBe('Ended: Sev0: Fire, Fjord Power and 1 more');
});

it('tells of groups before singles, of the worst first, and of what is over last, with counts of all', () => {
  const { text } = summary(
    part({ title: 'A all clear', isOver: true, matches: 100, open: 0, severity: 'Sev0' }),
    part({ title: 'B single', severity: 'Sev3', site: null }),
    part({ title: 'C single', severity: 'Sev2' }),
    part({ title: 'D group', isGroup: true, severity: 'Sev4', rule: 'Cold', matches: 9_900, open: 100, site: 'Bergen' }),
  );
  expect(text).toMatch(
    /^10,002 matches: 2 rules, 2 sites; 9,900 have ended\.\n\nGOES ON\n\nD group\n\nThe whole text\.[^]*C single[^]*B single[^]*ENDED\n\nA all clear/,
  );
  expect(summary(part({ open: 0, isOver: true })).text).toMatch(/^1 match: 1 rule, 1 site; all have ended\.\n\nENDED/);
});

it('stays short: later texts are shortened, and parts that do not fit are left for the next one, but not the first', () => {
  const many = Array.from({ length: 400 }, (_, n) => part({ title: `Number ${n}`, text: 'x'.repeat(900), short: 'y'.repeat(300) }));
  const last = many.at(-1) as SummaryPart;
  const { text, included } = summaryOf(many, (item) => item, { first: last, texts: mailTexts.summary });
  expect(text.length).toBeLessThan(70_000);
  expect(text).toContain('x'.repeat(900));
  expect(text).toContain(`Number 100\n\n${'y'.repeat(300)}`);
  expect(included.length).toBeGreaterThan(100);
  expect(included.length).toBeLessThan(400);
  expect(included).toContain(last);
});
