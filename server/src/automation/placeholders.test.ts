import { describe, expect, it } from 'vitest';
import { newFiller } from './placeholders.ts';

const filler = () => newFiller({ Name: 'a b/c?d&"e"\n{Other}', Other: 'x', Count: 3, 'Metrics.Cpu': 97.5, Nothing: null, Dots: '..' });

describe('placeholders', () => {
  it('[ACT-045] are encoded as a part of the address', () => {
    expect(filler().url('https://h.example/p/{Name}?q={Count}&r={Dots}')).toBe(
      'https://h.example/p/a%20b%2Fc%3Fd%26%22e%22%0A%7BOther%7D?q=3&r=%252E%252E',
    );
  });

  it('never stand in scheme, host or port', () => {
    for (const url of ['{Name}://h/', 'https://{Name}/', 'https://h.example:{Count}/', 'https://{Name}@h/', 'https://h.{Other}?x'])
      expect(() => filler().url(url)).toThrow('scheme, host or port');
  });

  it('[ACT-046] cannot add a header', () => {
    expect(filler().header('Bearer {Other}')).toBe('Bearer x');
    expect(() => filler().header('{Name}')).toThrow('line break');
  });

  it('[ACT-047] stay inside their JSON string, and are values outside of one', () => {
    const body = filler().json(
      '{"text": "say \\"{Name}\\"", "count": {Count}, "cpu": {Metrics.Cpu}, "bare": {Other}, "none": "{Nothing}"}',
    );
    expect(JSON.parse(body)).toEqual({ text: 'say "a b/c?d&"e"\n{Other}"', count: 3, cpu: 97.5, bare: 'x', none: '' });
  });

  it('become their default, or empty and noted, when they are known and have no value', () => {
    const one = newFiller({ DeviceName: 'web-1', Title: '', AssignedTo: null }, ['Team']);
    expect(one.json('{"b":"{BlockName}","l":"{LocationName|none}"}')).toBe('{"b":"","l":"none"}');
    expect(JSON.parse(one.json('{"n":{Metrics.Cpu|0},"t":{Metrics.Text|n/a},"d":"{DeviceName|?}","v":{Value},"m":"{Team}"}'))).toEqual({
      n: 0,
      t: 'n/a',
      d: 'web-1',
      v: '',
      m: '',
    });
    expect(one.url('https://h.example/{LocationName|no place}?b={BlockName}')).toBe('https://h.example/no%20place?b=');
    expect(one.header('{OperationName|none}')).toBe('none');
    expect(one.text('{Title|untitled}, {AssignedTo|nobody}, {AssignedTo}, {Nobody|x}')).toBe('untitled, nobody, , {Nobody|x}');
    expect([...one.empty]).toEqual(['BlockName', 'Value', 'Team']);
    expect([...one.unknown]).toEqual(['Nobody']);
  });

  it('[ACT-044] are case-sensitive; an unknown one stays and is noted', () => {
    const one = filler();
    expect(one.text('{other} {Other} {toString} {Secret:key}')).toBe('{other} x {toString} {Secret:key}');
    expect([...one.unknown]).toEqual(['other', 'toString', 'Secret:key']);
  });

  it('are filled once: a value that looks like one is left alone', () => {
    expect(filler().text('{Name}')).toContain('{Other}');
  });
});

it('fills thousands of places as quickly as it reads the text, and no more than 1 MB', () => {
  const filler = newFiller({ Title: 'a "b"', Long: 'x'.repeat(1_000) });
  const places = (count: number) => `{"t":[${Array.from({ length: count }, () => '"{Title}"').join(',')}]}`;
  /** The least work of several runs in this thread, in milliseconds, so that other programs on the machine have no effect. */
  const workOf = (count: number): number => {
    const template = places(count);
    const turns = Array.from({ length: 7 }, () => {
      const before = process.threadCpuUsage();
      filler.json(template);
      return process.threadCpuUsage(before).user / 1_000;
    });
    return Math.min(...turns);
  };
  workOf(1_000);
  // Ten times the size is ten times the work. If the text was scanned from its start for each placeholder, it would be a hundred
  // times the work.
  expect(workOf(5_000)).toBeLessThan(40 * Math.max(workOf(500), 1));
  expect(JSON.parse(filler.json(places(3)))).toEqual({ t: ['a "b"', 'a "b"', 'a "b"'] });
  for (const fill of [filler.json, filler.text, filler.form])
    expect(() => fill('{Long}'.repeat(1_100))).toThrow('Filled with its values, the text is longer than 1 MB.');
});
