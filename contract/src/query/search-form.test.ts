import { expect, it } from 'vitest';
import { excerpt, marksIn, searchForm } from './search-form.ts';

const marked = (text: string, ...terms: string[]) => marksIn(text, terms).map(({ from, to }) => text.slice(from, to));

it('has one form for all spellings, with one blank between words', () => {
  for (const name of ['Muller', 'Mueller', 'M\u00fcller', 'Mu\u0308ller', 'MUELLER']) expect(searchForm(name)).toBe('muller');
  expect(searchForm(' Till-04: \u00bd Stra\u00dfe,  queue\n')).toBe('till 04 1 2 strasse quu');
  expect(searchForm('?!')).toBe('');
});

it('marks terms in the text as it is written', () => {
  expect(marked('Payment terminal, repayment', 'payment')).toEqual(['Payment', 'payment']);
  expect(marked('Payment terminal, repayment', ' pay')).toEqual(['Pay']);
  expect(marked('Frau Mu\u0308ller, Herr Mueller', 'muller')).toEqual(['Mu\u0308ller', 'Mueller']);
  expect(marked('Stra\u00dfe Till-04', 'strasse', 'till 04')).toEqual(['Stra\u00dfe', 'Till-04']);
  expect(marked('the terminal', 'terminl| terminal')).toEqual(['terminal']);
  expect(marked('banana', 'ana')).toEqual(['anana']);
  expect(marked('#1503', '#1503', '')).toEqual([]);
});

it('cuts a long text around its first mark', () => {
  const text = `${'some words before '.repeat(20)}the night backup failed${' and more'.repeat(40)}`;
  const cut = excerpt(text, ['backup']);
  expect(cut).toMatch(/^…before the night backup failed and more.*…$|^….*night backup failed and more.*…$/);
  expect(cut.length).toBeLessThanOrEqual(142);
  expect(excerpt('A\nbackup', ['backup'])).toBe('A backup');
});
