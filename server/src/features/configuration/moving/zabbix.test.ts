/** An export of Zabbix, in its three formats, becomes devices and rules. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { convertFiles } from './convert.ts';
import { conditionsOf, laterForm } from './trigger.ts';
import { parseXml } from './xml.ts';

const tenantId = '0197f000-0000-7000-8000-0000000000aa';
const yaml = readFileSync(new URL('samples/zabbix.yaml', import.meta.url), 'utf8');
const convert = (text: string, name = 'export') => convertFiles([{ name, text }], tenantId, 0);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** The value as Zabbix writes XML: the items of a list have the name of the list without its ending. */
function xmlOf(name: string, value: unknown): string {
  if (Array.isArray(value)) {
    const one = name === 'dependencies' ? 'dependency' : name.replace(/s$/, '');
    return value.length === 0 ? `<${name}/>` : `<${name}>\n${value.map((item) => xmlOf(one, item)).join('')}</${name}>`;
  }
  if (typeof value !== 'object' || value === null) return `<${name}>${escaped(String(value))}</${name}>`;
  return `<${name}>${Object.entries(value)
    .map(([key, part]) => xmlOf(key, part))
    .join('\n')}</${name}>`;
}
const root = parse(yaml) as { zabbix_export: object };
const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${xmlOf('zabbix_export', root.zabbix_export)}`;

describe('an export', () => {
  const outcome = convert(yaml);
  const { rows } = outcome.document;

  it('is the same in YAML, JSON and XML', () => {
    expect(convert(`\uFEFF${JSON.stringify(root)}`)).toEqual(outcome);
    expect(convert(xml)).toEqual(outcome);
    expect(convert(xml.replaceAll('&lt;1.5G', '<![CDATA[<1.5G]]>').replace('<hosts>', '<!-- hosts --><hosts>'))).toEqual(outcome);
  });

  it('has its hosts as devices, with addresses, tags, groups and templates', () => {
    expect(outcome.counts).toEqual([
      { kind: 'hosts', count: 2 },
      { kind: 'templates', count: 1 },
      { kind: 'triggers', count: 6 },
    ]);
    const [subscription] = rows['subscriptions'] ?? [];
    expect(rows['devices']).toMatchObject([
      {
        tenantId,
        name: 'Web 1',
        subscriptionId: subscription?.['subscriptionId'],
        tags: 'site:Riga Latvia, prod, group:Linux servers, template:Linux by Zabbix agent',
        description: 'Zabbix: web-1\nZABBIX 192.0.2.10\nSNMP web-1.example.com:161\nThe shop & its "cart"',
        enabled: true,
      },
      { name: 'db-1', description: 'ZABBIX [2001:db8::5]:10050', enabled: false },
    ]);
  });

  it('has its simple triggers as rules that are off, and lists the others', () => {
    expect((rows['rules'] ?? []).map(({ name, enabled }) => [name, enabled])).toEqual([
      ['Linux by Zabbix agent: Load average is too high on {HOST.NAME}', false],
      ['Linux by Zabbix agent: High swap space usage', false],
      ['Linux by Zabbix agent: Zabbix agent is not available', false],
      ['web-1: Shop is down', false],
    ]);
    const [load, swap, ping, shop] = rows['rules'] ?? [];
    const template = { LeftOperand: 32, Operator: 8, RightOperand: '(^|, *)template:Linux by Zabbix agent(,|$)' };
    const key = { LeftOperandFieldName: 'system.cpu.load[all,avg1]' };
    expect(load).toMatchObject({
      conditions: [
        { Type: 'And', ...template },
        { Type: 'And', LeftOperand: 73, ...key, Operator: 3, RightOperand: '1.5', WindowSeconds: 300 },
        { Type: 'Or', ...template },
        { Type: 'And', LeftOperand: 62, ...key, Operator: 6, RightOperand: '16' },
      ],
      matchActions: [{ Parameters: { SeverityId: 'Sev3', Title: 'Load average is too high on {DeviceName}' } }],
    });
    expect(swap).toMatchObject({
      conditions: [
        template,
        { LeftOperand: 74, LeftOperandFieldName: 'system.swap.size[,free]', Operator: 4, RightOperand: '1610612736', WindowSeconds: 3_600 },
        { LeftOperand: 62, LeftOperandFieldName: 'system.swap.size[,total]', Operator: 2, RightOperand: '0' },
      ],
      recoveryConditions: [template, { LeftOperand: 62, Operator: 3, RightOperand: '2147483648' }],
    });
    expect(ping).toMatchObject({ conditions: [template, { LeftOperand: 70, Operator: 3, RightOperand: '300' }] });
    expect(shop).toMatchObject({
      conditions: [
        { LeftOperand: 31, Operator: 1, RightOperand: 'Web 1' },
        { LeftOperand: 72, Operator: 4 },
      ],
    });
    expect(outcome.without.map(({ name, reason, detail }) => [name, reason, detail])).toEqual([
      ['Trigger Both are down', 'trigger-hosts', 'web-1, db-1'],
      ['Trigger High swap space usage', 'trigger-dependencies', ''],
      ['Trigger Calculated', 'trigger-expression', '(last(/Linux by Zabbix agent/system.swap.size[,free])-1)>0'],
      ['Trigger Zabbix agent is not available', 'trigger-silence', ''],
      ['Hosts', 'needs-agent', '2'],
      ['Triggers', 'rules-off', ''],
      ['Linux by Zabbix agent', 'discovery', '1'],
    ]);
  });
});

describe('an expression', () => {
  it.each([
    'last(/h/k,#3)>1',
    'last(/h/k)>last(/h/j)',
    'avg(/h/k,#5)>1',
    'avg(/h/k,5m:now-1h)>1',
    'avg(/h/k,2d)>1',
    'nodata(/h/k,5m)=0',
    'last(/h/k)>{$UNKNOWN}',
    'not last(/h/k)=1',
    '(last(/h/k)=1 or last(/h/j)=1) and last(/h/i)=1',
    'find(/h/k,,"like","x")=1',
    '{h:k.last()}>1',
    '',
  ])('that is not simple is never read as another one: %s', (expression) => {
    expect(() => conditionsOf(expression)).toThrow('trigger-expression');
  });

  it.each([
    ['{h:log[/var/log/a,"x}. y] and z"].last()}>1 and {h:k.avg(5m)}<2', 'last(/h/log[/var/log/a,"x}. y] and z"])>1 and avg(/h/k,5m)<2'],
    ['{h:vfs.fs.size[/,pfree].last(0)}<{$LOW}', 'last(/h/vfs.fs.size[/,pfree])<{$LOW}'],
    ['{h:system.cpu.load.max({$TIME})}>1', 'max(/h/system.cpu.load,{$TIME})>1'],
    ['{nodata(5m)}=1', 'nodata(/own/item.key,5m)=1'],
    ['last(/h/k)>{$LIMIT:"a.b()"}', 'last(/h/k)>{$LIMIT:"a.b()"}'],
  ])('of Zabbix 5 is the one of today: %s', (earlier, today) => {
    expect(laterForm(earlier, { host: 'own', key: 'item.key' })).toBe(today);
  });

  it('may have commas, brackets, quotes and words within its keys', () => {
    const key = 'log[/var/log/a,"x, y] and z",,3]';
    expect(conditionsOf(`last(/h/${key})<>-2.5 and sum(/h/k,30s)<=1K`)).toEqual({
      of: 'h',
      groups: [
        [
          { Type: 'And', LeftOperand: 62, LeftOperandFieldName: key, Operator: 2, RightOperand: '-2.5' },
          { Type: 'And', LeftOperand: 75, LeftOperandFieldName: 'k', Operator: 7, RightOperand: '1024', WindowSeconds: 30 },
        ],
      ],
    });
  });
});

describe('a hostile file', () => {
  const bomb = `zabbix_export:\n  a: &a [x, x]\n${'bcdefghi'
    .split('')
    .map((name, index) => `  ${name}: &${name} [*${'abcdefgh'[index]}, *${'abcdefgh'[index]}]`)
    .join('\n')}\n`;
  it.each([
    ['aliases', bomb, 'cannot be read: Alias resolution is disabled'],
    ['a cycle', 'zabbix_export: &a\n  hosts: [*a]\n', 'cannot be read: '],
    ['a broken line', 'zabbix_export:\n  hosts: [\n', 'cannot be read: '],
    [
      'an entity',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><zabbix_export><hosts>&e;</hosts></zabbix_export>',
      'document type',
    ],
    ['an unknown entity', '<zabbix_export><date>&e;</date></zabbix_export>', 'the entity &e; is not read'],
    ['deep elements', '<a>'.repeat(10_000), 'it has too many elements'],
    ['an open element', '<zabbix_export><hosts>', '<hosts> is not closed'],
    ['crossed elements', '<zabbix_export><a></zabbix_export></a>', '</zabbix_export> closes nothing'],
    ['only a sign', '<', 'unfinished element'],
  ])('with %s is refused', (_, text, message) => {
    expect(() => convert(text, 'export.xml')).toThrow(message);
  });

  it.each([
    ['<', 'unfinished'],
    ['<a>&', 'too many elements'],
    ['<!--', 'unfinished'],
    ['<a ', 'unfinished'],
    ['<![CDATA[', 'unfinished'],
  ])('of a million signs ends: %s', (sign, message) => {
    expect(() => parseXml(sign.repeat(1_000_000 / sign.length))).toThrow(message);
  });
});
