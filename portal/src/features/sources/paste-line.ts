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
    case 'Webhook':
      return curl(url, token, '{"device":"web-1","temperature":21.5}');
  }
}
