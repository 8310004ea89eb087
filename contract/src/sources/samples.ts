/** A body of each kind of sender, for a trial: what it would become says more than a description. */
import type { SourceKind } from './kinds.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const alert = {
  status: 'firing',
  labels: { alertname: 'DiskFull', instance: 'web-1:9100', severity: 'critical' },
  annotations: { summary: 'Disk of web-1 is full' },
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '0001-01-01T00:00:00Z',
};

/** Two series of one instance, in protobuf and snappy. */
const remoteWrite =
  'mgHwTApHCg4KCF9fbmFtZV9fEgJ1cAoWCghpbnN0YW5jZRIKd2ViLTE6OTEwMAoLCgNqb2ISBG5vZGUSEAkAAAAAAADwPxCA0Oq2tzMKTwoWHUkACgEmFF9sb2FkMbZRACDQPxCA0Oq2tzM=';

/** The sample of a kind; `now` is the time of values that have one, in milliseconds. */
export function samplePayload(kind: SourceKind, now: number): string {
  switch (kind) {
    case 'Alertmanager':
    case 'Grafana':
      return json({ version: '4', status: 'firing', alerts: [alert] });
    case 'PagerDuty':
      return json({
        event_action: 'trigger',
        dedup_key: 'db-7/replication',
        payload: { summary: 'Replication of db-7 is behind', source: 'db-7', severity: 'critical' },
      });
    case 'Opsgenie':
      return json({ message: 'Queue is full', alias: 'queue-a', priority: 'P1', entity: 'web-1' });
    case 'UptimeKuma':
      return json({
        heartbeat: { status: 0, msg: 'timeout' },
        monitor: { id: 1, name: 'Shop', url: 'https://shop.example' },
        msg: 'Shop is down',
      });
    case 'Nagios':
      return 'web-1\tdisk\t1\tDISK WARNING|/=81%;80;90';
    case 'OpenTelemetry':
      return json({
        resourceMetrics: [
          {
            resource: { attributes: [{ key: 'host.name', value: { stringValue: 'web-1' } }] },
            scopeMetrics: [{ metrics: [{ name: 'queue.length', gauge: { dataPoints: [{ timeUnixNano: `${now}000000`, asInt: '12' }] } }] }],
          },
        ],
      });
    case 'RemoteWrite':
      return remoteWrite;
    case 'PrometheusPush':
      return 'backup_size_bytes{instance="web-1"} 1024';
    case 'Influx':
      return 'cpu,host=web-1,cpu=cpu0 usage_user=12.5,cores=4i';
    case 'CloudEvents':
      return json({
        specversion: '1.0',
        id: '1',
        source: '/plant/press',
        type: 'press.measured',
        subject: 'press-1',
        data: { temperature: 21.5, status: 'ok' },
      });
    case 'Webhook':
      return json({ device: 'web-1', temperature: 21.5, status: 'ok' });
    case 'SnmpTraps':
      return json({
        sender: '192.0.2.7',
        version: '2c',
        trap: '1.3.6.1.6.3.1.1.5.3',
        varbinds: [
          { oid: '1.3.6.1.2.1.2.2.1.1.3', value: 3 },
          { oid: '1.3.6.1.2.1.2.2.1.2.3', value: 'GigabitEthernet0/3' },
        ],
      });
    case 'Syslog':
      return '<187>1 2026-01-01T00:00:00Z switch-1 stp 812 TOPOLOGY [port@1 name="ge-0/0/3"] Port is blocked';
    case 'Mqtt':
      return json({ topic: 'plant/press-1/temperature', payload: '21.5' });
  }
}
