/** The kinds of sources: which programs send to one, and what a source assumes until somebody says otherwise. */

export const sourceKinds = [
  'Alertmanager',
  'Grafana',
  'PagerDuty',
  'Opsgenie',
  'UptimeKuma',
  'Nagios',
  'OpenTelemetry',
  'RemoteWrite',
  'PrometheusPush',
  'Influx',
  'CloudEvents',
  'Webhook',
  'SnmpTraps',
  'Syslog',
  'Mqtt',
] as const;
export type SourceKind = (typeof sourceKinds)[number];

const labels: Partial<Record<SourceKind, string>> = {
  UptimeKuma: 'Uptime Kuma',
  Nagios: 'Nagios passive results',
  OpenTelemetry: 'OpenTelemetry (OTLP)',
  RemoteWrite: 'Prometheus remote write',
  PrometheusPush: 'Prometheus metrics, pushed',
  Influx: 'InfluxDB line protocol',
  Webhook: 'JSON webhook',
  SnmpTraps: 'SNMP traps',
  Mqtt: 'MQTT',
};
export const sourceKindChoices = sourceKinds.map((value) => ({ value, label: labels[value] ?? value }));

/** What happens to names that the tenant does not know: refused, wait under Pending Devices, or are made at once. */
export const unknownPolicies = ['Refuse', 'Wait', 'Create'] as const;

/** Which time packets get: the one that was sent, or that of the receipt, for senders whose clocks are wrong. */
export const clockPolicies = ['Sent', 'Received'] as const;

/** What a source of a kind starts with. */
export interface KindDefaults {
  /** Whether it sends alerts, which fire and are resolved; they can open work units. */
  alerts: boolean;
  /** The templates that name the device or the block of what arrives; beside a block, the device that it is about. */
  deviceName: string | null;
  blockName: string | null;
}

const alertsOf = (blockName: string, deviceName: string): KindDefaults => ({ alerts: true, deviceName, blockName });
const valuesOf = (deviceName: string): KindDefaults => ({ alerts: false, deviceName, blockName: null });

/** Labels that name a machine; of an instance its host without the port. */
const machine = '{device|host|hostname|nodename|node|instance:host}';

export const kindDefaults: Readonly<Record<SourceKind, KindDefaults>> = {
  Alertmanager: alertsOf('{alertname} {rest}', machine),
  Grafana: alertsOf('{alertname} {rest}', machine),
  PagerDuty: alertsOf('{dedup_key}', '{source}'),
  Opsgenie: alertsOf('{alias}', '{entity|source}'),
  UptimeKuma: alertsOf('{monitor}', '{monitor}'),
  Nagios: alertsOf('{host} {rest}', '{host}'),
  OpenTelemetry: valuesOf('{service.instance.id|host.name|service.name}'),
  RemoteWrite: valuesOf('{instance}'),
  PrometheusPush: valuesOf('{instance|job}'),
  Influx: valuesOf('{host|hostname|device}'),
  CloudEvents: valuesOf('{subject|source}'),
  Webhook: valuesOf('{device|host|hostname|source|name}'),
  SnmpTraps: valuesOf('{agent|sender}'),
  Syslog: valuesOf('{hostname|sender}'),
  Mqtt: valuesOf('{topic}'),
};

/** The kinds whose senders need a listener: an operation of an agent (the package Gateway) hears them and gives them to the source. */
export const listenerKinds: ReadonlySet<SourceKind> = new Set(['SnmpTraps', 'Syslog', 'Mqtt']);

/** The prefix of the tokens of sources, by which they are told from others. */
export const sourceTokenPrefix = 'cfso_';
