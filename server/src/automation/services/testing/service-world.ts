/** A service of a test: a server that answers as the test says, a subscription to it, and the jobs that tell it. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { z } from 'zod';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { sendEventName } from '../../../features/event-subscriptions/wake.ts';
import { openOutboundHttp } from '../../../outbound/http.ts';
import { attemptOf } from '../../../testing/attempt.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';
import { sendEventJob } from '../../events/send-event.job.ts';

export interface ServiceCall {
  method: string;
  /** With the query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface ServiceReply {
  /** The service has done what it was asked to, and the connection breaks before its answer. */
  isLost?: true;
  status?: number;
  headers?: Record<string, string>;
  body?: object;
}

export interface ServiceWorld {
  world: TestWorld;
  origin: string;
  calls: ServiceCall[];
  /** Answers instead of the service, when it returns something. */
  disturb: ((call: ServiceCall) => ServiceReply | undefined) | undefined;
  tenant: () => Promise<{ tenantId: string; me: TestCaller }>;
  subscribe: (me: TestCaller, body: object) => Promise<{ id: string; secret: string }>;
  openUnit: (me: TestCaller, tenantId: string, fields?: object) => Promise<number>;
  unit: (me: TestCaller, id: number) => Promise<Record<string, unknown>>;
  change: (me: TestCaller, id: number, fields: object) => Promise<WorldReply>;
  note: (me: TestCaller, id: number, detail: string, isExternalNote?: boolean) => Promise<void>;
  notes: (me: TestCaller, id: number) => Promise<{ detail: string; createdBy: string; historyType: string | null }[]>;
  link: (me: TestCaller, id: number) => Promise<Record<string, unknown> | undefined>;
  deliveries: (me: TestCaller, id: string) => Promise<Record<string, unknown>[]>;
  /** Runs the queued jobs, those of later too, until none is left. */
  work: () => Promise<void>;
  /** Makes what waits for its next try due. */
  soon: () => Promise<void>;
  rows: <T = object>(text: string, ...values: unknown[]) => Promise<T[]>;
  close: () => Promise<void>;
}

export async function serviceWorld(service: (call: ServiceCall) => ServiceReply): Promise<ServiceWorld> {
  const world = await createWorld();
  const calls: ServiceCall[] = [];
  const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });
  const receiver = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = { method, path, headers, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
      calls.push(call);
      const { status = 200, headers: answered = {}, body, isLost } = self.disturb?.(call) ?? service(call);
      if (isLost) return request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...answered }).end(body && JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
  const { schema, run } = sendEventJob({
    http: outbound,
    masterKey: world.masterKey,
    hopCounts: world.hopCounts,
    publicUrl: 'http://localhost',
    secrets: world.secrets,
    ackLinks: world.ackLinks,
  });
  const list = async (me: TestCaller, path: string) => (await world.call(me, 'GET', path)).body.value ?? [];
  const self: ServiceWorld = {
    world,
    origin,
    calls,
    disturb: undefined,
    tenant: async () => {
      const { tenantId } = await world.tenant();
      for (const [name, value] of [
        ['Token', 'value-of-Token'],
        ['Signing', 'value-of-Signing'],
      ] as const) {
        const stored = await world.call(holder([tenantId]), 'PUT', `/v1/tenants/${tenantId}/secrets`, { name, value });
        expect(stored.status, stored.text).toBe(200);
      }
      return { tenantId, me: holder([tenantId]) };
    },
    subscribe: async (me, body) => {
      const all = { name: `Subscription ${randomUUID()}`, entity: 'workUnits', tokenSecret: 'Token', address: origin, ...body };
      const created = await world.call(me, 'PUT', '/v1/eventSubscriptions', all);
      expect(created.status, created.text).toBe(201);
      return { id: String(created.body['eventSubscriptionId']), secret: String(created.body['generatedSecret']) };
    },
    openUnit: async (me, tenantId, fields = {}) => {
      const body = { title: 'Disk full', severityId: 'Sev1', workUnitTypeId: 1, tenantId, ...fields };
      const created = await world.call(me, 'PUT', '/v1/workUnits', body);
      expect(created.status, created.text).toBe(201);
      return Number(created.body['workUnitId']);
    },
    unit: async (me, id) => (await world.call(me, 'GET', `/v1/workUnits/${id}`)).body,
    change: async (me, id, fields) => {
      const changed = await world.call(me, 'POST', `/v1/workUnits/${id}`, fields);
      expect(changed.status, changed.text).toBe(200);
      return changed;
    },
    note: async (me, workUnitId, detail, isExternalNote = false) => {
      const created = await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId, detail, isExternalNote });
      expect(created.status, created.text).toBe(201);
    },
    notes: async (me, id) =>
      (await list(me, `/v1/workUnitNotes?$filter=workUnitId eq ${id}&$orderby=workUnitNoteId`)) as Awaited<
        ReturnType<ServiceWorld['notes']>
      >,
    link: async (me, id) => (await list(me, `/v1/unitLinks?$filter=workUnitId eq ${id}`))[0],
    deliveries: (me, id) => list(me, `/v1/eventDeliveries?$filter=eventSubscriptionId eq ${id}&$orderby=eventDeliveryId`),
    work: async () => {
      for (;;) {
        const due = await rows<{ payload: unknown; correlation_id: string }>(
          `with d as (delete from job where name = $1 returning job_id, payload, correlation_id) select payload, correlation_id from d order by job_id`,
          sendEventName,
        );
        if (due.length === 0) return;
        for (const { payload, correlation_id: correlationId } of due) {
          const ctx = systemCtx({ database: world.database, log: world.system.log, name: 'Automation', correlationId });
          await run(ctx, (schema as z.ZodType).parse(payload), attemptOf(1, origin));
        }
      }
    },
    soon: async () => {
      await rows('update event_delivery set next_attempt = now() where next_attempt is not null');
      await rows('update event_subscription set hold_until = null');
    },
    rows,
    close: async () => {
      receiver.closeAllConnections();
      receiver.close();
      await outbound.close();
      await world.close();
    },
  };
  return self;
}
