import { expect, it } from 'vitest';
import { judgeReleased, judgeSchemaChange } from './judge.ts';

const released = { version: '1.0.0', migrations: { '0001-first.sql': 'a', '0002-second.sql': 'b' }, objects: {} };

it('names a released migration that was edited or removed, and a new one that would run before it', () => {
  expect(judgeReleased(released, { '0001-first.sql': 'a', '0002-second.sql': 'b', '0003-new.sql': 'c' })).toEqual([]);
  expect(judgeReleased(released, { '0001-first.sql': 'edited', '0001-late.sql': 'c' })).toEqual([
    expect.stringMatching(/0001-first\.sql was released with 1\.0\.0 and has changed: restore it/),
    expect.stringMatching(/0002-second\.sql was released with 1\.0\.0 and is missing/),
    expect.stringMatching(/0001-late\.sql is new and sorts before the released 0002-second\.sql/),
  ]);
});

const before = {
  'table device': '',
  'column device.name': 'text not null',
  'column device.note': 'text',
  'column device.type_id': 'integer not null default 0',
  'rights on device of app_scoped': 'insert, select',
  'unique index device_name': 'CREATE UNIQUE INDEX device_name ON public.device USING btree (name)',
  'index device_note': 'x',
  'function f(text)': 'x',
};

it('lets new tables, columns that may be empty, and other indexes and functions pass', () => {
  expect(
    judgeSchemaChange(before, {
      ...before,
      'column device.type_id': 'integer not null default 7',
      'column device.serial': 'text',
      'column device.count': 'integer not null default 0',
      'column device.kind': "text not null generated as (note || 'x')",
      'table contact': '',
      'column contact.name': 'text not null',
      'unique index contact_name': 'CREATE UNIQUE INDEX contact_name ON public.contact USING btree (name)',
      'unique index device_name_in_type': 'CREATE UNIQUE INDEX device_name_in_type ON public.device USING btree (type_id, name)',
      'constraint contact.name_check': "CHECK (name <> '')",
      'function f(text)': 'y',
      'index device_note': 'y',
    }),
  ).toEqual([]);
});

it.each([
  ['drop', { 'column device.note': undefined }, 'column device.note is dropped or renamed'],
  ['drop of a function', { 'function f(text)': undefined }, 'function f(text) is dropped or renamed'],
  ['type', { 'column device.note': 'jsonb' }, 'column device.note changes its type from text to jsonb'],
  ['not null', { 'column device.note': 'text not null' }, 'column device.note becomes not null'],
  ['lost default', { 'column device.type_id': 'integer not null' }, 'column device.type_id loses its default'],
  ['new column that must be given', { 'column device.serial': 'text not null' }, 'column device.serial is not null and has no default'],
  ['right', { 'rights on device of app_scoped': 'select' }, 'rights on device of app_scoped are taken away'],
  ['check', { 'constraint device.c': 'CHECK (true)' }, 'constraint device.c refuses rows that are written today'],
  [
    'unique index',
    { 'unique index device_note_once': 'CREATE UNIQUE INDEX device_note_once ON public.device USING btree (note)' },
    'unique index device_note_once refuses rows that are written today',
  ],
])('refuses what a running server of the version before would meet: %s', (_, change, fault) => {
  const after = Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  expect(judgeSchemaChange(before, after)).toEqual([expect.stringContaining(fault)]);
});
