/** Zabbix: hosts become devices, and triggers become rules that are off until values arrive under the names of their items. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { ForeignAnswers } from './answers.ts';
import type { Moving } from './document.ts';
import { itemOf, itemsOf, NoCounterpart, textOf, type ForeignItem } from './reading.ts';
import { conditionsOf, laterForm, operand, withMacros } from './trigger.ts';

const severityOf: Readonly<Record<string, string>> = { DISASTER: 'Sev1', HIGH: 'Sev2', AVERAGE: 'Sev3', WARNING: 'Sev4', INFO: 'Sev5' };
const maxTags = 500;
const maxDescription = 500;

/** A tag without commas, which separate tags. */
const tag = (...parts: string[]): string =>
  parts
    .filter(Boolean)
    .join(':')
    .replaceAll(/[,\s]+/g, ' ')
    .trim();

/** A pattern for tags that have this one, not only one that begins like it. */
const hasTag = (entry: string): string => `(^|, *)${entry.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(,|$)`;

function addressOf(entry: ForeignItem): string {
  const [ip, dns, port, type] = [textOf(entry['ip']), textOf(entry['dns']), textOf(entry['port']), textOf(entry['type']) || 'ZABBIX'];
  const host = textOf(entry['useip']) === 'NO' ? dns || ip : ip || dns;
  return `${type} ${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
}

function addHost(host: ForeignItem, subscriptionId: string, moving: Moving): void {
  const [technical, name] = [textOf(host['host']), textOf(host['name']) || textOf(host['host'])];
  const all = [
    ...itemsOf(host['tags']).map((entry) => tag(textOf(entry['tag']), textOf(entry['value']))),
    ...itemsOf(host['groups']).map((entry) => tag('group', textOf(entry['name']))),
    ...itemsOf(host['templates']).map((entry) => tag('template', textOf(entry['name']))),
  ];
  const tags: string[] = [];
  for (const entry of new Set(all)) if ([...tags, entry].join(', ').length <= maxTags) tags.push(entry);
  if (tags.length < new Set(all).size) moving.lacks(`Host ${name}`, 'tags-cut', String(new Set(all).size - tags.length));
  const lines = [
    ...(technical === name ? [] : [`Zabbix: ${technical}`]),
    ...itemsOf(host['interfaces']).map(addressOf),
    textOf(host['description']),
  ].filter(Boolean);
  moving.addRow('devices', `${technical}`, {
    name: name.slice(0, 200),
    subscriptionId,
    ...(tags.length > 0 ? { tags: tags.join(', ') } : {}),
    ...(lines.length > 0 ? { description: lines.join('\n').slice(0, maxDescription) } : {}),
    enabled: textOf(host['status']) !== 'DISABLED',
  });
}

/** Values of macros by name, without secrets. */
const macrosOf = (owner: ForeignItem): Map<string, string> =>
  new Map(
    itemsOf(owner['macros']).flatMap((entry): [string, string][] =>
      ['', 'TEXT'].includes(textOf(entry['type'])) && textOf(entry['value']) !== ''
        ? [[textOf(entry['macro']), textOf(entry['value'])]]
        : [],
    ),
  );

function addTrigger(
  trigger: ForeignItem,
  owners: ReadonlyMap<string, { isTemplate: boolean; item: ForeignItem }>,
  subscriptionId: string,
  moving: Moving,
): void {
  const named = [...owners].find(([name]) => textOf(trigger['expression']).includes(`/${name}/`))?.[1];
  const macros = macrosOf(named?.item ?? {});
  const { of, groups } = conditionsOf(withMacros(textOf(trigger['expression']), macros));
  const owner = owners.get(of);
  if (!owner) throw new NoCounterpart('trigger-hosts', of);
  const scope: Condition = owner.isTemplate
    ? { Type: 'And', LeftOperand: operand.deviceTag, Operator: operatorId.matches, RightOperand: hasTag(tag('template', of)) }
    : { Type: 'And', LeftOperand: operand.deviceName, Operator: operatorId.equals, RightOperand: textOf(owner.item['name']) || of };
  const scoped = (all: readonly Condition[][]): Condition[] =>
    all.flatMap((group, index) => [{ ...scope, Type: index === 0 ? ('And' as const) : ('Or' as const) }, ...group]);
  const name = textOf(trigger['name']) || textOf(trigger['description']);
  const label = `Trigger ${name}`;
  let recovery: Condition[] | undefined;
  if (textOf(trigger['recovery_mode']) === 'RECOVERY_EXPRESSION')
    moving.attempt(label, () => {
      recovery = scoped(conditionsOf(withMacros(textOf(trigger['recovery_expression']), macros)).groups);
    });
  if (itemsOf(trigger['dependencies']).length > 0) moving.lacks(label, 'trigger-dependencies');
  if (groups.flat().some(({ LeftOperand }) => LeftOperand === operand.silence)) moving.lacks(label, 'trigger-silence');
  const severity = severityOf[textOf(trigger['priority'])];
  const title = name.replaceAll(/\{[A-Z#$][^}]*\}/g, (macro) => (/^\{HOST\.(NAME|HOST)1?\}$/.test(macro) ? '{DeviceName}' : ''));
  moving.addRow('rules', `${of} ${name} ${textOf(trigger['expression'])}`, {
    name: `${of}: ${name}`.slice(0, 200),
    description: [textOf(trigger['description']), textOf(trigger['expression'])].filter(Boolean).join('\n\n').slice(0, 4_000),
    enabled: false,
    ruleTypeId: 3,
    subscriptionId,
    matchLifetime: '00:05:00',
    conditions: scoped(groups),
    ...(recovery ? { recoveryConditions: recovery } : {}),
    ...(severity === undefined
      ? {}
      : {
          matchActions: [
            { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: severity, Title: title.trim().slice(0, 200) } },
          ],
        }),
  });
}

/** Triggers with their expressions in the form of today; those of an item are within it, those about several beside templates and hosts. */
const today = (triggers: unknown, item?: { host: string; key: string }): ForeignItem[] =>
  itemsOf(triggers).map((trigger) => ({
    ...trigger,
    expression: laterForm(textOf(trigger['expression']), item),
    recovery_expression: laterForm(textOf(trigger['recovery_expression']), item),
  }));

const triggersIn = (owner: ForeignItem): ForeignItem[] =>
  itemsOf(owner['items']).flatMap((item) =>
    today(item['triggers'], { host: textOf(owner['template']) || textOf(owner['host']), key: textOf(item['key']) }),
  );

export function convertZabbix(answers: ForeignAnswers, moving: Moving): void {
  const roots = answers.of('export').map(({ item }) => itemOf(item['zabbix_export']));
  const hosts = roots.flatMap((root) => itemsOf(root['hosts']));
  const templates = roots.flatMap((root) => itemsOf(root['templates']));
  const triggers = [...roots.flatMap((root) => today(root['triggers'])), ...[...templates, ...hosts].flatMap(triggersIn)];
  moving.count('hosts', hosts.length);
  moving.count('templates', templates.length);
  moving.count('triggers', triggers.length);
  if (hosts.length + triggers.length === 0) return;
  const subscriptionId = moving.addRow('subscriptions', 'Zabbix', { name: 'Zabbix' });
  for (const host of hosts) addHost(host, subscriptionId, moving);
  const owners = new Map<string, { isTemplate: boolean; item: ForeignItem }>([
    ...templates.map((item) => [textOf(item['template']), { isTemplate: true, item }] as const),
    ...hosts.map((item) => [textOf(item['host']), { isTemplate: false, item }] as const),
  ]);
  for (const trigger of triggers)
    moving.attempt(`Trigger ${textOf(trigger['name'])}`, () => addTrigger(trigger, owners, subscriptionId, moving));
  if (hosts.length > 0) moving.lacks('Hosts', 'needs-agent', String(hosts.length));
  if (triggers.length > 0) moving.lacks('Triggers', 'rules-off');
  for (const owner of [...templates, ...hosts]) {
    const name = textOf(owner['template']) || textOf(owner['name']) || textOf(owner['host']);
    const named = itemsOf(owner['discovery_rules']).length;
    if (named > 0) moving.lacks(name, 'discovery', String(named));
    const web = itemsOf(owner['http_tests']).length + itemsOf(owner['httptests']).length;
    if (web > 0) moving.lacks(name, 'web-scenarios', String(web));
  }
}
