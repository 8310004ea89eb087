/** Prepares an installation for a bench: a token, devices, rules, API calls. */
import http from 'node:http';
import type pg from 'pg';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { createIntegrationToken } from '../server/src/auth/integration-token.ts';
import { shippedSets } from '../server/src/auth/shipped.ts';

export interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

/** The tenant that the first start created. */
export async function findHome(client: pg.Client): Promise<SubscriptionIds> {
  const {
    rows: [home],
  } = await client.query<SubscriptionIds>(
    'select tenant_id as "tenantId", subscription_id as "subscriptionId" from subscription order by created limit 1',
  );
  if (!home) throw new Error('There is no first tenant.');
  return home;
}

/** Creates a token with all permissions in the tenant, or in all tenants for null. */
export async function addToken(client: pg.Client, tenantId: string | null): Promise<string> {
  const credential = createIntegrationToken();
  await client.query(
    'insert into token_grant (tenant_id, name, token_hash, token_hint, scopes, permission_set_id) values ($1, $2, $3, $4, $5, $6)',
    [tenantId, 'bench', credential.hash, credential.hint, JSON.stringify(['ingest']), shippedSets.administrator.id],
  );
  return credential.token;
}

/** Runs `fill` without the indexes of a table, then makes them all: sorting a million rows once takes less time than inserting them. */
export async function withoutIndexes(client: pg.Client, table: string, fill: () => Promise<unknown>): Promise<void> {
  // Functions depend on some of these indexes, so they cannot be dropped.
  await client.query('update pg_index set indisready = false where indrelid = $1::regclass and not indisunique', [table]);
  await fill();
  await client.query("set maintenance_work_mem = '512MB'");
  await client.query(`reindex table ${table}`);
  await client.query('reset maintenance_work_mem');
}

/** Makes the searched texts of the units of bulk statements, which are left to a job. */
export async function indexForSearch(client: pg.Client): Promise<void> {
  await withoutIndexes(client, 'work_unit_text', async () => {
    for (;;) {
      const { rows } = await client.query<{ indexed: number }>(
        'select index_old_work_units(10000) as indexed from work_unit_text_todo limit 1',
      );
      if (rows.length === 0) return;
    }
  });
}

export async function addDevices(client: pg.Client, home: SubscriptionIds, count: number): Promise<{ deviceId: string; name: string }[]> {
  const { rows } = await client.query<{ deviceId: string; name: string }>(
    `insert into device (tenant_id, subscription_id, name) select $1, $2, 'device-' || n from generate_series(1, $3::int) n returning device_id as "deviceId", name`,
    [home.tenantId, home.subscriptionId, count],
  );
  return rows;
}

/** Adds ingestion rules that select devices by tag and compare a metric with a limit. Every third needs three hits in a row. */
export async function addRules(client: pg.Client, home: SubscriptionIds, count: number, groups = 100): Promise<void> {
  const rules = Array.from({ length: count }, (_, i) => ({
    name: `Group ${i % groups} is over limit ${i}`,
    conditions: [
      { Type: 'And', LeftOperand: operandId.deviceTag, Operator: operatorId.equals, RightOperand: `group-${i % groups}` },
      {
        Type: 'And',
        LeftOperand: operandId.metric,
        LeftOperandFieldName: i % 2 ? 'Cpu' : 'Memory',
        Operator: operatorId.greaterThan,
        RightOperand: String(90 + (i % 7)),
        ...(i % 3 === 0 ? { OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } } : {}),
      },
    ],
  }));
  await client.query(
    `insert into rule (tenant_id, subscription_id, name, rule_type_id, match_lifetime, conditions) select $1, $2, name, 1, 300, conditions
     from jsonb_to_recordset($3::jsonb) as r (name text, conditions jsonb)`,
    [home.tenantId, home.subscriptionId, JSON.stringify(rules)],
  );
}

export type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Calls the API over keep-alive connections. Throws unless the response is a success. */
export function caller(url: string, token: string): { call: Call; close: () => void } {
  const agent = new http.Agent({ keepAlive: true });
  const call: Call = (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${token}`,
        ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const sent = http.request(`${url}${path}`, { agent, method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const received = Buffer.concat(parts).toString();
          if ((answer.statusCode ?? 500) < 300) resolve(received === '' ? undefined : JSON.parse(received));
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${received.slice(0, 300)}`));
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return { call, close: () => agent.destroy() };
}
