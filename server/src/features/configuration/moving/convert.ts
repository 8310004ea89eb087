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

/** Converts the files; `now` in epoch milliseconds, because what is over is left out. Throws 400 for files that are of no product. */
export function convertFiles(files: readonly { name: string; text: string }[], tenantId: string, now: number): MovingOutcome {
  const answers = readAnswers(files);
  const moving = new Moving(answers.product, tenantId, now);
  converters[answers.product](answers, moving, now);
  return moving.outcome();
}
