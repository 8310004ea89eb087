/** What the products are called that one can move in from. */
import type { MovingProduct } from './moving.ts';

/** The names of the products, which are the same in every language. */
export const movingProductNames: Readonly<Record<MovingProduct, string>> = {
  Opsgenie: 'Opsgenie',
  PagerDuty: 'PagerDuty',
  GrafanaOnCall: 'Grafana OnCall',
  Zabbix: 'Zabbix',
  Zammad: 'Zammad',
  OsTicket: 'osTicket',
};
