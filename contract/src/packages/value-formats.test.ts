import { expect, it } from 'vitest';
import { hostAndPort } from './host-and-port.ts';
import { neverReached } from './metric-bounds.ts';
import { formatFault, formatsOfBuiltIn, type ValueFormat } from './value-formats.ts';

const right: Readonly<Record<Extract<ValueFormat, string>, readonly string[]>> = {
  url: ['https://www.example.com/', 'HTTP://bücher.example', 'https://[2001:db8::1]:8443/a?b=1', 'https://example.com/{Token}'],
  host: ['www.example.com', 'web_1', '192.0.2.1', '2001:db8::1', '[2001:db8::1]', 'fe80::1%eth0', 'müller.example', ' padded '],
  hostPort: ['switch', '192.0.2.1:1161', '[2001:db8::1]:161', '2001:db8::1', 'bücher.example:161'],
  addressPort: ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:53'],
  port: ['1', '65535'],
  status: ['200', '200-399', '200 - 299'],
  path: ['/var/log/a.log', 'C:\\Logs\\a.log', '\\\\server\\share\\a', 'D:/a/*.gz'],
  pattern: ['error|failed', '(?i)error', '\\d{3}', '(?<ms>\\d+) ms'],
  hours: ['26', '0.5'],
  line: ['EventLog'],
};
const wrong: Readonly<Record<Extract<ValueFormat, string>, readonly string[]>> = {
  url: ['www.example.com', 'ftp://example.com/', 'https://', 'https://exa mple.com/', 'https://example.com:99999/'],
  host: ['www.example.com:80', 'https://example.com', 'a b', '-oProxy', '999.1.1.1', 'a/b', 'user@host', '2001:db8::zz'],
  hostPort: ['switch:0', 'switch:70000', 'switch:', 'https://switch', '[192.0.2.1]:161', 'a b:1'],
  addressPort: ['ns.example.com', '192.0.2.256', '192.0.2.53:0'],
  port: ['0', '65536', '80.5', 'https', '-1'],
  status: ['abc', '20', '200-', '999'],
  path: ['backup.log', '~/a', 'a\\b'],
  pattern: ['(error', '[a', '*'],
  hours: ['0', '-1', 'a day', 'Infinity'],
  line: ['a\nb'],
};

it('takes what a check can use, and says what is wrong with the rest', () => {
  for (const [format, values] of Object.entries(right))
    for (const value of values) expect(formatFault(format as ValueFormat, 'Field', value), `${format} ${value}`).toBeUndefined();
  for (const [format, values] of Object.entries(wrong))
    for (const value of values)
      expect(formatFault(format as ValueFormat, 'Field', value), `${format} ${value}`).toMatch(/^Field is |^Field begins /);
  expect(['0.1', '300', '0', '301', 'abc'].map((value) => formatFault({ from: 0.1, to: 300 }, 'Time limit', value) ?? '')).toEqual([
    '',
    '',
    ...Array<string>(3).fill('Time limit is a number from 0.1 to 300.'),
  ]);
  expect(formatsOfBuiltIn('Packages of others')).toEqual({});
});

it('separates a port, which an address of IPv6 has only behind brackets', () => {
  expect(['switch', 'switch:161', '[2001:db8::1]:161', '2001:db8::1'].map((text) => hostAndPort(text).host)).toEqual([
    'switch',
    'switch',
    '2001:db8::1',
    '2001:db8::1',
  ]);
});

it('knows thresholds that a metric never reaches', () => {
  const never = (name: string, operator: number, value: string, from = 'System metrics') =>
    neverReached(from, { reading: 'Metric', name, operator, value }) !== undefined;
  expect([
    never('Up', 3, '1', 'Ping'),
    never('Up', 1, '2', 'Ping'),
    never('Cpu', 3, '100'),
    never('Disk /', 6, '101'),
    never('Memory', 4, '0'),
  ]).toEqual(Array<boolean>(5).fill(true));
  expect([
    never('Up', 1, '0'),
    never('Cpu', 6, '100'),
    never('Cpu', 3, '150', 'Cluster'),
    never('Load1', 3, '150'),
    never('Cpu', 2, '500'),
  ]).toEqual(Array<boolean>(5).fill(false));
  expect(neverReached('Ping', { reading: 'Down' })).toBeUndefined();
});
