/** Documents of another product as a configuration of this one. */
import type { MovingOutcome, MovingProduct } from '@cloudfit/contract/configuration/moving.ts';
import { readAnswers, type ForeignAnswers } from './answers.ts';
import { Moving } from './document.ts';
import { convertOnCall } from './oncall.ts';
import { convertOpsgenie } from './opsgenie.ts';
import { convertPagerDuty } from './pagerduty.ts';
import { convertOsTicket } from './osticket.ts';
import { convertZabbix } from './zabbix.ts';
import { convertZammad } from './zammad.ts';

const converters: Readonly<Record<MovingProduct, (answers: ForeignAnswers, moving: Moving, now: number) => void>> = {
  Opsgenie: convertOpsgenie,
  PagerDuty: convertPagerDuty,
  GrafanaOnCall: convertOnCall,
  Zabbix: convertZabbix,
  Zammad: convertZammad,
  OsTicket: convertOsTicket,
};

/** The kinds of answers that belong together, by their names in addresses: what refers to one that is missing is left out. */
const together: Partial<Record<MovingProduct, Readonly<Record<string, string>>>> = {
  Opsgenie: { users: 'users', schedules: 'schedules', escalations: 'escalations' },
  PagerDuty: { users: 'users', schedules: 'schedules', escalations: 'escalation_policies' },
  GrafanaOnCall: {
    users: 'users',
    schedules: 'schedules',
    shifts: 'on_call_shifts',
    chains: 'escalation_chains',
    steps: 'escalation_policies',
  },
};

/** Converts the files; `now` in epoch milliseconds, because what is over is left out. Throws 400 for files that are of no product. */
export function convertFiles(files: readonly { name: string; text: string }[], tenantId: string, now: number): MovingOutcome {
  const answers = readAnswers(files);
  const moving = new Moving(answers.product, tenantId, now);
  for (const { name, why } of answers.unread) moving.lacks(name, 'unread-file', why);
  for (const [kind, address] of Object.entries(together[answers.product] ?? {}))
    if (answers.of(kind).length === 0) moving.lacks('Files', 'missing-answer', address);
  converters[answers.product](answers, moving, now);
  return moving.outcome();
}
