import { expect, it } from 'vitest';
import { parseStatementLog, wrongNotifications } from './statement-log.ts';

const log = (session: string, ...texts: string[]) => texts.map((text) => `session ${session} ${text}`);
const notify = (channel: string) => ['LOG:  execute notify: select pg_notify($1, $2)', `DETAIL:  Parameters: $1 = '${channel}', $2 = ''`];
const wrong = (...lines: string[]) => wrongNotifications(parseStatementLog(lines));

it('reads statements of several lines, with their parameters', () => {
  expect(
    parseStatementLog([
      ...log('a', 'LOG:  statement: select 1,'),
      '\t2',
      ...log('b', 'LOG:  execute x: select $1', "DETAIL:  Parameters: $1 = 'it''s', $2 = NULL"),
    ]),
  ).toEqual([
    { session: 'a', text: 'select 1,\n2', parameters: [] },
    { session: 'b', text: 'select $1', parameters: ["it''s", 'null'] },
  ]);
});

it('accepts a notification right before the commit, and one outside of transactions', () => {
  const inOrder = log('a', 'LOG:  statement: begin', 'LOG:  execute <unnamed>: select 1', ...notify('rules'), ...notify('devices'));
  expect(wrong(...inOrder, ...log('b', ...notify('jobs')), ...log('a', 'LOG:  statement: commit'))).toEqual([]);
});

it('names what stands between a notification and the commit, and wake-ups within a transaction', () => {
  expect(
    wrong(...log('a', 'LOG:  statement: begin', ...notify('rules'), 'LOG:  execute <unnamed>: select 1', 'LOG:  statement: commit')),
  ).toEqual(['rules: before select 1']);
  expect(wrong(...log('a', 'LOG:  statement: begin', ...notify('jobs'), 'LOG:  statement: commit'))).toEqual(['jobs: in a transaction']);
  const within = "LOG:  execute wake: with woken as (update job set run_at = now() returning 1) select pg_notify('jobs', '') from woken";
  expect(wrong(...log('a', 'LOG:  statement: begin', within, 'LOG:  statement: commit'))).toHaveLength(1);
  expect(wrong(...log('a', 'LOG:  statement: begin', ...notify('jobs'), 'LOG:  statement: rollback'))).toEqual([]);
});
