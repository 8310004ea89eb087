import { expect, it } from 'vitest';
import { csvText } from './csv.ts';

it('writes safe cells and tells Excel that they are UTF-8', () => {
  expect(csvText(['a'], [['say "hi", twice'], [' =1+1']])).toBe('"a"\r\n"say ""hi"", twice"\r\n"\' =1+1"\r\n');
});
