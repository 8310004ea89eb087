/** The format of each kind of source. */
import type { SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import type { Format } from '../format.ts';
import { alertmanager } from './alertmanager.ts';
import { cloudEvents } from './cloud-events.ts';
import { exposition } from './exposition/exposition.ts';
import { influx } from './influx/influx.ts';
import { mqtt } from './mqtt.ts';
import { nagios } from './nagios.ts';
import { otlp } from './otlp/otlp.ts';
import { opsgenie, pagerDuty, uptimeKuma } from './pagers.ts';
import { remoteWrite } from './remote-write.ts';
import { snmpTraps } from './snmp-traps.ts';
import { syslog } from './syslog.ts';
import { webhook } from './webhook.ts';

const formats: Readonly<Record<SourceKind, Format>> = {
  Alertmanager: alertmanager,
  Grafana: alertmanager,
  PagerDuty: pagerDuty,
  Opsgenie: opsgenie,
  UptimeKuma: uptimeKuma,
  Webhook: webhook,
  OpenTelemetry: otlp,
  RemoteWrite: remoteWrite,
  PrometheusPush: exposition,
  Influx: influx,
  CloudEvents: cloudEvents,
  Nagios: nagios,
  SnmpTraps: snmpTraps,
  Syslog: syslog,
  Mqtt: mqtt,
};

export const formatOf = (kind: SourceKind): Format => formats[kind];
