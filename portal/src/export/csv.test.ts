import { expect, it } from 'vitest';
import { csvCell, csvText } from './csv.ts';

it('lets no cell run in a spreadsheet', () => {
  for (const text of ['=1+1', '+cmd', '-cmd', '@sum', '\tx', '＝1']) expect(csvCell(text)).toBe(`"'${text}"`);
});
it('keeps plain numbers numbers', () => {
  expect(csvCell('-12.5')).toBe('"-12.5"');
});
it('quotes always and doubles quotes inside', () => {
  expect(csvText(['a'], [['say "hi", twice']])).toBe('\uFEFF"a"\r\n"say ""hi"", twice"\r\n');
});
