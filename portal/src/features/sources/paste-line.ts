/** What a person pastes into the program that sends, so that it reports to a source. */
import type { SourceEntity } from './source-row.ts';

export const addressOf = ({ sourceId }: Pick<SourceEntity, 'sourceId'>, origin: string): string => `${origin}/v1/intake/${sourceId}`;

const alertmanager = (url: string, token: string): string => `receivers:
  - name: cloudfit
    webhook_configs:
      - url: ${url}
        http_config:
          authorization:
            credentials: ${token}`;

const collector = (url: string, token: string): string => `OTEL_EXPORTER_OTLP_ENDPOINT=${url}
OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${token}
OTEL_TRACES_EXPORTER=none`;

const remoteWrite = (url: string, token: string): string => `remote_write:
  - url: ${url}
    authorization:
      credentials: ${token}`;

const line = (url: string, token: string): string => `curl '${url}/api/v2/write?precision=s' \\
  -H 'Authorization: Token ${token}' \\
  --data-binary 'cpu,host=web-1 usage_user=12.5'`;

const pushed = (url: string, token: string): string => `echo 'backup_size_bytes 1024' | curl --data-binary @- \\
  -H 'Authorization: Bearer ${token}' \\
  ${url}/metrics/job/backup/instance/web-1`;

const event = (url: string, token: string): string => `curl ${url} \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'ce-specversion: 1.0' -H 'ce-id: 1' -H 'ce-source: /plant/press' \\
  -H 'ce-type: press.measured' -H 'ce-subject: press-1' \\
  -H 'Content-Type: application/json' \\
  -d '{"temperature":21.5}'`;

const passive = (url: string, token: string): string => `printf 'web-1\\tdisk\\t1\\tDISK WARNING|/=81%%;80;90\\n' | curl --data-binary @- \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: text/plain' \\
  ${url}`;

const line5424 = (url: string, token: string): string => `curl ${url} \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: text/plain' \\
  --data-binary '<187>1 - switch-1 stp - - - Port is blocked'`;

const published = (url: string, token: string): string => `curl ${url}/plant/press-1/temperature \\
  -H 'Authorization: Bearer ${token}' \\
  -d 21.5`;

const curl = (url: string, token: string, body: string): string => `curl ${url} \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`;

export function pasteLine({ kind }: Pick<SourceEntity, 'kind'>, url: string, token: string): string {
  switch (kind) {
    case 'Alertmanager':
      return alertmanager(url, token);
    case 'Grafana':
    case 'UptimeKuma':
      return `${url}/${token}`;
    case 'PagerDuty':
      return `${url}/v2/enqueue\n${token}`;
    case 'Opsgenie':
      return `${url}\n${token}`;
    case 'OpenTelemetry':
      return collector(url, token);
    case 'RemoteWrite':
      return remoteWrite(url, token);
    case 'Influx':
      return line(url, token);
    case 'PrometheusPush':
      return pushed(url, token);
    case 'CloudEvents':
      return event(url, token);
    case 'Nagios':
      return passive(url, token);
    case 'Webhook':
      return curl(url, token, '{"device":"web-1","temperature":21.5}');
    case 'SnmpTraps':
      return curl(url, token, '{"sender":"192.0.2.7","trap":"1.3.6.1.6.3.1.1.5.3","varbinds":[]}');
    case 'Syslog':
      return line5424(url, token);
    case 'Mqtt':
      return published(url, token);
  }
}
