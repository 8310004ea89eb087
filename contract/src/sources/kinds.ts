/** The kinds of sources: which programs send to one, and what a source assumes until somebody says otherwise. */

export const sourceKinds = ['Alertmanager', 'Grafana', 'PagerDuty', 'Opsgenie', 'UptimeKuma', 'Webhook'] as const;
export type SourceKind = (typeof sourceKinds)[number];

const labels: Partial<Record<SourceKind, string>> = { UptimeKuma: 'Uptime Kuma', Webhook: 'JSON webhook' };
export const sourceKindChoices = sourceKinds.map((value) => ({ value, label: labels[value] ?? value }));

/** What happens to names that the tenant does not know: refused, wait under Pending Devices, or are made at once. */
export const unknownPolicies = ['Refuse', 'Wait', 'Create'] as const;

/** Which time packets get: the one that was sent, or that of the receipt, for senders whose clocks are wrong. */
export const clockPolicies = ['Sent', 'Received'] as const;

/** What a source of a kind starts with. */
export interface KindDefaults {
  /** Whether it sends alerts, which fire and are resolved; they can open work units. */
  alerts: boolean;
  /** The templates that name the device or the block of what arrives. */
  deviceName: string | null;
  blockName: string | null;
}

const alertsOf = (blockName: string): KindDefaults => ({ alerts: true, deviceName: null, blockName });

export const kindDefaults: Readonly<Record<SourceKind, KindDefaults>> = {
  Alertmanager: alertsOf('{alertname} {rest}'),
  Grafana: alertsOf('{alertname} {rest}'),
  PagerDuty: alertsOf('{dedup_key}'),
  Opsgenie: alertsOf('{alias}'),
  UptimeKuma: alertsOf('{monitor}'),
  Webhook: { alerts: false, deviceName: '{device|host|hostname|source|name}', blockName: null },
};

/** The prefix of the tokens of sources, by which they are told from others. */
export const sourceTokenPrefix = 'cfso_';
