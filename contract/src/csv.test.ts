import { describe, expect, it } from 'vitest';
import { csvCell, csvLine } from './csv.ts';
import { resources } from './resources/registry.ts';

describe('a cell', () => {
  it.each([
    ['plain', '"plain"'],
    ['say "no"', '"say ""no"""'],
    ['a,b\nc', '"a,b\nc"'],
    ['=1+1', `"'=1+1"`],
    ['+49 30 1', '"+49 30 1"'],
    ['+49 (0)30 123-45', '"+49 (0)30 123-45"'],
    ['+1(555)123-4567', '"+1(555)123-4567"'],
    ['+4930123456', '"+4930123456"'],
    ['+49-30', `"'+49-30"`],
    ['+1+cmd', `"'+1+cmd"`],
    ['+49 30 =1', `"'+49 30 =1"`],
    ['+1 A1', `"'+1 A1"`],
    ['+1 (A1)', `"'+1 (A1)"`],
    ['+1 2\n=1', `"'+1 2\n=1"`],
    ['-cmd', `"'-cmd"`],
    ['@sum(A1)', `"'@sum(A1)"`],
    ['\tx', `"'\tx"`],
    ['\rx', `"'\rx"`],
    ['  =1', `"'  =1"`],
    ['\u00a0=1', `"'\u00a0=1"`],
    ['\ufeff@x', `"'\ufeff@x"`],
    ['\n =1', `"'\n =1"`],
    ['a =1', '"a =1"'],
    ['\uff1d1+1', `"'\uff1d1+1"`],
    ['\uff0dx', `"'\uff0dx"`],
    ['\uff20x', `"'\uff20x"`],
    ['\uff0bx', `"'\uff0bx"`],
    ['-12.5', '"-12.5"'],
    [-12.5, '"-12.5"'],
    ['-1e5', '"-1e5"'],
    ['-1+2', `"'-1+2"`],
    [null, '""'],
    [false, '"false"'],
    [{ a: '=1' }, '"{""a"":""=1""}"'],
  ])('%j is written %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});

it('ends each record with a line break of RFC 4180', () => {
  expect(csvLine(['a', 1, undefined])).toBe('"a","1",""\r\n');
});

it('has another heading for each column of a resource that is exported', () => {
  for (const resource of resources) {
    const labels = Object.values(resource.fields).map((field) => field.label);
    expect([resource.name, labels.filter((label, at) => labels.indexOf(label) !== at)]).toEqual([resource.name, []]);
  }
});
