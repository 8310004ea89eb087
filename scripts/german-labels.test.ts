import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { choiceText } from '../contract/src/messages/choices.de.ts';
import { labels } from '../contract/src/messages/labels.de.ts';
import { resources } from '../contract/src/resources/registry.ts';
import { operandTable } from '../contract/src/rules/operands.ts';
import { declares, labelsIn, withLabels } from '../portal/german-labels.ts';

const contract = join(import.meta.dirname, '../contract/src');
const files = readdirSync(contract, { recursive: true, encoding: 'utf8' })
  .map((name) => join(contract, name))
  .filter(declares);
const declared = new Set(files.flatMap((file) => labelsIn(file, readFileSync(file, 'utf8')).map(({ text }) => text)));

/** `Custom field 7` as it is declared, `Custom field {}`. */
const asDeclared = (label: string) => [label, label.replace(/\d+/, '{}'), label.replace(/^Work Unit .*/, 'Work Unit {}')];

const fields = resources.flatMap((resource) => Object.values(resource.fields));

it('finds in the declarations each label of entities, fields and operands', () => {
  const labelsOfAll = [
    ...resources.flatMap(({ label, plural }) => [label, plural]),
    ...fields.flatMap(({ label, help }) => [label, ...(help === undefined ? [] : [help])]),
    ...operandTable.map(({ name }) => name),
  ];
  expect([...new Set(labelsOfAll)].filter((label) => !asDeclared(label).some((text) => declared.has(text)))).toEqual([]);
});

it('has each label in German, and no German of a label that is gone', () => {
  expect([...declared].filter((label) => labels[label] === undefined)).toEqual([]);
  expect(Object.keys(labels).filter((label) => !declared.has(label))).toEqual([]);
});

it('has the labels of choices in German, except names and words that are the same', () => {
  const choices = new Set([...fields, ...operandTable].flatMap((field) => (field.choices ?? []).map(({ label }) => label)));
  const same = [...choices].filter((label) => /[a-z]{3}/i.test(label) && choiceText(label) === label);
  expect(same.toSorted()).toEqual(sameChoices);
});

/** Names, abbreviations, and words that German took over. */
const sameChoices = [
  'Aggregation',
  'Alertmanager',
  'Binary',
  'Block',
  'Chat',
  'CloudEvents',
  'DELETE',
  'GET',
  'GitHub',
  'Grafana',
  'HEAD',
  'Information',
  'Jira',
  'LDAP',
  'Link',
  'LinuxX64',
  'MQTT',
  'Mattermost',
  'Name',
  'OAuth 2.0',
  'OpenID Connect',
  'OpenTelemetry (OTLP)',
  'Opsgenie',
  'OsxX64',
  'PATCH',
  'POST',
  'PUT',
  'PagerDuty',
  'Passkey',
  'Prometheus remote write',
  'STARTTLS',
  'ServiceNow',
  'Sev0',
  'Sev1',
  'Sev2',
  'Sev3',
  'Sev4',
  'Slack',
  'Spam',
  'Structured',
  'Syslog',
  'TLS',
  'Tag',
  'Teams',
  'Text',
  'Uptime Kuma',
  'WinX64',
  'orange',
];

it('puts German labels into the source of a declaration, and leaves values alone', () => {
  const source = [
    "defineResource({ name: 'people', label: 'Person', plural: 'People', fields: { name: f.text('Name', { help: 'The sign-in email' }) } });",
    "const kinds = [{ value: 'Name', label: 'People' }];",
    'const custom = f.text(`Custom field ${n} name`);',
  ].join('\n');
  const unknown: string[] = [];
  const texts = { Person: 'Mensch', People: 'Leute', Name: 'Name', 'Custom field {} name': 'Name von {}' };
  expect(withLabels('contract/src/resources/people.ts', source, texts, (label) => unknown.push(label)).split('\n')).toEqual([
    'defineResource({ name: \'people\', label: "Mensch", plural: "Leute", fields: { name: f.text("Name", { help: \'The sign-in email\' }) } });',
    "const kinds = [{ value: 'Name', label: 'People' }];",
    'const custom = f.text(`Name von ${n}`);',
  ]);
  expect(unknown).toEqual(['The sign-in email']);
});
