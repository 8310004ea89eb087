/** Line protocol, pushed metrics, CloudEvents and passive results, by real clients and by hand. */
import { readFile } from 'node:fs/promises';
import { compileFunction } from 'node:vm';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { InfluxDB, Point } from '@influxdata/influxdb-client';
import { CloudEvent, HTTP } from 'cloudevents';
import { Counter, Histogram, Pushgateway, Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';
import { addedSource, packetsOf, type AddedSource } from './testing/sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let root: string;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
  ({ root } = await world.connect(me));
});
afterAll(() => world.close());

const source = (kind: string, more: object = {}): Promise<AddedSource> => addedSource(world, me, { kind, ...home, ...more });
const send = (to: AddedSource, path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<WorldReply> =>
  world.call(null, method, `/v1/intake/${to.id}${path}`, body, { authorization: `Bearer ${to.token}`, ...headers });
const text = { 'content-type': 'text/plain' };
const messagesOf = async (name: string) => (await packetsOf(world, name)).map(({ message }) => message);

describe('the line protocol', () => {
  it('places numbers, booleans and texts, with escapes, in any precision', async () => {
    const to = await source('Influx');
    const at = Math.floor(Date.now() / 1_000) * 1_000;
    const lines = [
      '# a comment',
      `cpu,host=web-1,cpu=cpu0 usage_user=12.5,cores=4i,big=18446744073709551615u ${at}`,
      String.raw`disk\ io,host=web\ 1,path=C:\\x,a\,b=c\=d read=1e3,ok=t,label="say \"hi\", a=b c" ${at}`,
      '',
    ].join('\n');
    const answer = await send(to, '/api/v2/write?org=o&bucket=b&precision=ms', lines, text);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await messagesOf('web-1')).toEqual([
      { Metrics: { 'cpu.usage_user{cpu="cpu0"}': 12.5, 'cpu.cores{cpu="cpu0"}': 4, 'cpu.big{cpu="cpu0"}': 18446744073709552000 } },
    ]);
    expect(await messagesOf('web 1')).toEqual([
      {
        Metrics: { 'disk io.read{a,b="c=d",path="C:\\\\x"}': 1_000 },
        States: { 'disk io.ok{a,b="c=d",path="C:\\\\x"}': true },
        Properties: { 'disk io.label{a,b="c=d",path="C:\\\\x"}': 'say "hi", a=b c' },
      },
    ]);
    for (const [precision, unit] of [
      ['ns', 1e6],
      ['n', 1e6],
      ['u', 1e3],
      ['us', 1e3],
      ['s', 1e-3],
    ] as const)
      expect(
        (
          await send(
            to,
            `/write?db=x&precision=${precision}`,
            `m,host=p-${precision} v=1 ${(BigInt(at) * BigInt(Math.max(1, unit))) / BigInt(unit < 1 ? 1_000 : 1)}`,
            text,
          )
        ).status,
      ).toBe(204);
    for (const precision of ['ns', 'n', 'u', 'us', 's'])
      expect((await packetsOf(world, `p-${precision}`)).map(({ timestamp }) => Date.parse(timestamp))).toEqual([at]);
    expect((await send(to, '/write?precision=d', 'm v=1', text)).status).toBe(400);
    // Of nanoseconds as a number, each third is a little less than its millisecond.
    const each = Array.from({ length: 50 }, (_, n) => at + n);
    expect((await send(to, '/write', each.map((time, n) => `m,host=each v=${n} ${time}000000`).join('\n'), text)).status).toBe(204);
    expect((await packetsOf(world, 'each')).map(({ timestamp }) => Date.parse(timestamp))).toEqual(each);
  });

  it('says which lines were dropped, and stores the others', async () => {
    const to = await source('Influx');
    const lines = 'm,host=part v=1\nm,host=part\nm,host=part v=x\nm,host v=1\nm,host=part v="open\nm v=1';
    const first = await send(to, '/write?db=x', lines, text);
    expect([first.status, String(first.body['error'])]).toEqual([400, expect.stringMatching(/^partial write: .*dropped=5$/)]);
    for (const reason of [
      'Line 2: there are no fields.',
      'Line 3: x of v is no number',
      'Line 4: the tag host is not name=value',
      'Line 5: the text of v has no closing quote',
      'no value for host or hostname or device',
    ])
      expect(String(first.body['error'])).toContain(reason);
    expect(await messagesOf('part')).toEqual([{ Metrics: { 'm.v': 1 } }]);
    const second = await send(to, '/api/v2/write', 'm,host=part', text);
    expect([second.status, second.body]).toEqual([
      400,
      { code: 'invalid', message: 'unable to parse or store: Line 1: there are no fields. dropped=1' },
    ]);
    expect((await send({ ...to, token: 'cfso_x' }, '/api/v2/write', 'm v=1', text)).body).toMatchObject({ code: 'unauthorized' });
  });

  it('is written by the client of InfluxDB 2, and by one of version 1 with a name and a password', async () => {
    const to = await source('Influx');
    const api = new InfluxDB({ url: `${root}/intake/${to.id}`, token: to.token }).getWriteApi('org', 'bucket', 'ms');
    api.writePoint(
      new Point('weather')
        .tag('host', 'roof, 1')
        .floatField('temperature', 21.5)
        .stringField('sky', 'a "blue" one')
        .booleanField('dry', true),
    );
    await api.close();
    expect(await messagesOf('roof, 1')).toEqual([
      { Metrics: { 'weather.temperature': 21.5 }, States: { 'weather.dry': true }, Properties: { 'weather.sky': 'a "blue" one' } },
    ]);
    const first = (path: string, init?: RequestInit) => fetch(`${root}/intake/${to.id}${path}`, init);
    const credentials = `u=x&p=${to.token}`;
    expect((await first(`/ping?${credentials}`)).status).toBe(204);
    expect(await (await first(`/query?${credentials}&q=CREATE+DATABASE`, { method: 'POST' })).json()).toEqual({
      results: [{ statement_id: 0 }],
    });
    expect((await first(`/write?db=t&${credentials}`, { method: 'POST', body: 'm,host=v1 v=1i' })).status).toBe(204);
    expect((await first(`/write?db=t&${credentials}`)).status).toBe(405);
    expect(await messagesOf('v1')).toEqual([{ Metrics: { 'm.v': 1 } }]);
  });
});

describe('pushed metrics', () => {
  it('come from the client of Node as to a Pushgateway', async () => {
    const to = await source('PrometheusPush');
    const registry = new Registry();
    const counter = new Counter({ name: 'jobs_total', help: 'Jobs', labelNames: ['kind'], registers: [registry] });
    const histogram = new Histogram({ name: 'took_seconds', help: 'Time', buckets: [1, 2], registers: [registry] });
    counter.inc({ kind: 'a "b"' }, 3);
    histogram.observe(1.5);
    const gateway = new Pushgateway(`${root}/intake/${to.id}/${to.token}`, {}, registry);
    await gateway.pushAdd({ jobName: 'nightly', groupings: { instance: 'push-1' } });
    await gateway.push({ jobName: 'nightly', groupings: { instance: 'push-1' } });
    const [first, second] = await messagesOf('push-1');
    expect(first?.Metrics).toEqual({
      'jobs_total{kind="a \\"b\\""}': 3,
      'took_seconds_bucket{le="1"}': 0,
      'took_seconds_bucket{le="2"}': 1,
      'took_seconds_bucket{le="+Inf"}': 1,
      took_seconds_sum: 1.5,
      took_seconds_count: 1,
    });
    expect(second).toEqual(first);
  });

  it('are read as text and as OpenMetrics, with labels of the address before those of the body', async () => {
    const to = await source('PrometheusPush');
    const at = Date.now();
    const body = `# HELP a b\n# TYPE a gauge\na{instance="other",x="1"} 2 ${at}\n{"my.name",y="é\\n"} 3\nnone NaN\n`;
    expect((await send(to, '/metrics/job/j/instance@base64/cHVzaC0y', body, text, 'PUT')).body).toEqual({
      stored: 2,
      duplicate: 0,
      refused: 0,
    });
    expect((await messagesOf('push-2')).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      { Metrics: { 'a{x="1"}': 2 } },
      { Metrics: { 'my.name{y="é\\n"}': 3 } },
    ]);
    const open = { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' };
    const metrics = `# TYPE c counter\nc_total 5 ${at / 1_000} # {trace_id="abc"} 1 ${at / 1_000}\n`;
    expect((await send(to, '/metrics/job/j/instance/push-3', `${metrics}# EOF\n`, open)).status).toBe(200);
    expect((await packetsOf(world, 'push-3')).map(({ timestamp, message }) => [Date.parse(timestamp), message])).toEqual([
      [at, { Metrics: { c_total: 5 } }],
    ]);
    const cut = await send(to, '/metrics/job/j/instance/push-4', metrics, open);
    expect([cut.status, JSON.stringify(cut.body)]).toEqual([400, expect.stringContaining('# EOF')]);
    expect(await messagesOf('push-4')).toEqual([]);
  });

  it('says what is wrong with a line', async () => {
    const to = await source('PrometheusPush');
    const answer = await send(to, '/metrics/job/j', 'a 1\nb\nc{x=1} 2\nd{x="1" 3\n2x 4\ne 1 noon\nf +Inf\n', text);
    expect(answer.body).toMatchObject({ stored: 1, refused: 6 });
    const reasons = (answer.body['reasons'] as { message: string }[]).map(({ message }) => message);
    expect(reasons).toEqual([
      'Line 2: there is no value.',
      'Line 3: the value of the label x is not in quotes.',
      'Line 4: the labels have no closing brace.',
      'Line 5: it begins with no name.',
      'Line 6: noon is no time.',
      'f is infinite.',
    ]);
    expect((await send(to, '/metrics/job/j/instance', 'a 1', text)).status).toBe(400);
  });

  it('are read as protobuf, which clients in Go push', async () => {
    const to = await source('PrometheusPush');
    const bytes = (no: number, part: Uint8Array) => new BinaryWriter().tag(no, WireType.LengthDelimited).bytes(part).finish();
    const string = (no: number, part: string) => new BinaryWriter().tag(no, WireType.LengthDelimited).string(part).finish();
    const number = (no: number, part: number) => new BinaryWriter().tag(no, WireType.Bit64).double(part).finish();
    const label = bytes(1, Buffer.concat([string(1, 'k'), string(2, 'v')]));
    const bucket = Buffer.concat([new BinaryWriter().tag(1, WireType.Varint).uint64(2).finish(), number(2, 0.5)]);
    const histogram = Buffer.concat([new BinaryWriter().tag(1, WireType.Varint).uint64(3).finish(), number(2, 1.5), bytes(3, bucket)]);
    const families = [
      Buffer.concat([string(1, 'g'), bytes(4, Buffer.concat([label, bytes(2, number(1, 7))]))]),
      Buffer.concat([string(1, 'h'), bytes(4, bytes(7, histogram))]),
    ];
    const body = Buffer.concat(families.map((family) => Buffer.from(new BinaryWriter().bytes(family).finish())));
    const type = { 'content-type': 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited' };
    expect((await send(to, '/metrics/job/go', body, type)).status).toBe(200);
    expect(await messagesOf('go')).toEqual([{ Metrics: { 'g{k="v"}': 7, h_count: 3, h_sum: 1.5, 'h_bucket{le="0.5"}': 2 } }]);
    expect((await send(to, '/metrics/job/go', Buffer.from([200, 1]), type)).status).toBe(400);
  });
});

describe('CloudEvents', () => {
  const event = (more: object = {}) =>
    new CloudEvent({
      id: crypto.randomUUID(),
      source: '/plant/press',
      type: 'press.measured',
      subject: 'press-1',
      data: { temperature: 21.5, status: 'ok', by: 'Ada' },
      ...more,
    });

  it('come from the SDK, structured and binary, and are stored once', async () => {
    const to = await source('CloudEvents');
    for (const [name, mode] of [
      ['press-s', HTTP.structured],
      ['press-b', HTTP.binary],
    ] as const) {
      const one = event({ subject: name, shift: 'früh' });
      const { headers, body } = mode(one);
      const type = headers as Record<string, string>;
      expect((await send(to, '', String(body), type)).body).toEqual({ stored: 1, duplicate: 0, refused: 0 });
      expect((await send(to, '', String(body), type)).body).toEqual({ stored: 0, duplicate: 1, refused: 0 });
      expect(await messagesOf(name)).toMatchObject([
        {
          Value: 'press.measured',
          Metrics: { temperature: 21.5 },
          States: { status: 'ok' },
          Properties: { by: 'Ada', type: 'press.measured', source: '/plant/press', subject: name, id: one.id },
        },
      ]);
    }
  });

  it('come in batches, of which one that is wrong does not hold up the others', async () => {
    const to = await source('CloudEvents');
    const batch = [
      event({ subject: 'batch-1' }).toJSON(),
      { specversion: '1.0', id: '1', source: 's' },
      { ...event().toJSON(), specversion: '0.3' },
      { ...event().toJSON(), time: 'noon' },
      7,
      {
        specversion: '1.0',
        id: '2',
        source: '/base64',
        type: 't',
        datacontenttype: 'application/json',
        data_base64: Buffer.from('{"v":1}').toString('base64'),
      },
    ];
    const answer = await send(to, '', batch, { 'content-type': 'application/cloudevents-batch+json' });
    expect(answer.body).toMatchObject({ stored: 2, refused: 4 });
    expect((answer.body['reasons'] as { message: string }[]).map(({ message }) => message)).toEqual([
      'Event 2 has no type.',
      'Event 3 is of version 0.3; there is 1.0.',
      'The time of event 4 is not one of RFC 3339: noon.',
      'Event 5 is no object.',
    ]);
    expect(await messagesOf('/base64')).toMatchObject([{ Metrics: { v: 1 } }]);
    // JSON in base64 has the limits of the body.
    const deep = Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)).toString('base64');
    const nested = {
      ...event({ subject: 'batch-deep', data: undefined }).toJSON(),
      datacontenttype: 'application/json',
      data_base64: deep,
    };
    expect((await send(to, '', nested, { 'content-type': 'application/cloudevents+json' })).body).toMatchObject({ stored: 1 });
  });

  it('have attributes between quotes, percent-encoded, or in plain UTF-8', async () => {
    const to = await source('CloudEvents');
    const headers = { 'ce-specversion': '1.0', 'ce-source': '/s', 'ce-type': 't', 'content-type': 'application/json' };
    // As bytes of UTF-8 arrive from a client that does not encode them.
    const plain = Buffer.from('Ofen-ü').toString('latin1');
    for (const [subject, name] of [
      ['"Ofen \\"7\\""', 'Ofen "7"'],
      ['Ofen%20%C3%BC%20%E2%82%AC', 'Ofen ü €'],
      [plain, 'Ofen-ü'],
    ] as const) {
      expect((await send(to, '', { v: 1 }, { ...headers, 'ce-id': name.length.toString(), 'ce-subject': subject })).status).toBe(200);
      expect(await messagesOf(name), name).toMatchObject([{ Metrics: { v: 1 } }]);
    }
  });

  it('are refused after they have gone through five installations', async () => {
    const to = await source('CloudEvents');
    const sent = async (hops: unknown) =>
      (
        await send(
          to,
          '',
          { ...event({ subject: 'hops' }).toJSON(), cloudfithops: hops },
          { 'content-type': 'application/cloudevents+json' },
        )
      ).text;
    for (const hops of [4, '4', 'many', -1]) expect(await sent(hops), String(hops)).toContain('"stored":1');
    for (const hops of [5, '5', 99]) expect(await sent(hops), String(hops)).toContain('has gone through 5 installations');
    // The sender does not try it again.
    const round = { ...event().toJSON(), cloudfithops: 5 };
    expect((await send(to, '', round, { 'content-type': 'application/cloudevents+json' })).status).toBe(200);
  });

  it('may come from who asks first, with the token', async () => {
    const to = await source('CloudEvents');
    const ask = (token: string) =>
      world.call(null, 'OPTIONS', `/v1/intake/${to.id}/${token}`, undefined, {
        'webhook-request-origin': 'eventgrid.azure.net',
        'webhook-request-rate': '120',
      });
    const answer = await ask(to.token);
    expect([answer.status, answer.headers['webhook-allowed-origin'], answer.headers['webhook-allowed-rate']]).toEqual([
      204,
      'eventgrid.azure.net',
      '*',
    ]);
    expect((await ask(`${to.token.slice(0, -1)}x`)).status).toBe(401);
  });

  it('are placed by the mapping of the source', async () => {
    const to = await source('CloudEvents', { mapping: 'Metrics.Temp = {data.temperature}\nProperties.Kind = {type}' });
    await send(to, '', event({ subject: 'mapped-1' }).toJSON(), { 'content-type': 'application/cloudevents+json' });
    const [message] = await messagesOf('mapped-1');
    expect(message?.Metrics).toEqual({ Temp: 21.5 });
    expect(message?.Properties).toMatchObject({ Kind: 'press.measured' });
  });
});

describe('passive results', () => {
  it('are lines of send_nsca, with performance data as metrics', async () => {
    const to = await source('Nagios', { opensUnits: false });
    const lines =
      "web-1\tdisk\t1\tDISK WARNING - free|/=81%;80;90 'my disk'=2GB;;;0 time=12ms\nping-1\t0\tPING OK|rta=0.5ms\nweb-1\tdisk\t9\tx\nno tabs\n";
    expect((await send(to, '', lines, text)).body).toMatchObject({
      stored: 2,
      refused: 2,
      reasons: [
        { message: '9 is no state: it is 0 to 3, or OK, WARNING, CRITICAL, UNKNOWN.' },
        { message: expect.stringContaining('tabs between') },
      ],
    });
    const [disk] = await messagesOf('web-1 disk');
    expect(disk).toMatchObject({
      Value: 'firing',
      States: { Alert: 'firing', Severity: 'warning' },
      Metrics: { '/': 81, 'my disk': 2e9, time: 0.012 },
      Properties: { Title: 'disk on web-1 is WARNING: DISK WARNING - free', Output: 'DISK WARNING - free', State: 'WARNING' },
    });
    expect(await messagesOf('ping-1')).toMatchObject([{ States: { Alert: 'resolved' }, Metrics: { rta: 0.0005 } }]);
  });

  it('are JSON objects, what NRDP sends, and what Icinga 2 is called with', async () => {
    const to = await source('Nagios', { opensUnits: false });
    expect((await send(to, '', { host: 'db-1', service: 'load', state: 'CRITICAL', output: 'load 9', perfdata: 'load1=9' })).status).toBe(
      200,
    );
    const nrdp = {
      checkresults: [{ checkresult: { type: 'service' }, hostname: 'db-1', servicename: 'swap', state: '3', output: 'no answer' }],
    };
    const form = new URLSearchParams({ cmd: 'submitcheck', token: 'x', JSONDATA: JSON.stringify(nrdp) }).toString();
    const answer = await send(to, '/nrdp/', form, { 'content-type': 'application/x-www-form-urlencoded' });
    expect([answer.status, answer.body]).toEqual([200, { result: { status: 0, message: 'OK', meta: { output: '1 checks processed.' } } }]);
    // The scripts of NRDP write the token into the form, and nowhere else.
    const signed = (token: string) =>
      world.call(null, 'POST', `/v1/intake/${to.id}/`, `token=${token}&${form}`, { 'content-type': 'application/x-www-form-urlencoded' });
    expect((await signed(to.token)).status).toBe(200);
    expect((await signed('cfso_wrong')).status).toBe(401);
    expect((await send(to, '', 'a\nb\nc\n')).body).toMatchObject({
      error: { message: expect.not.stringMatching(/between them.*between/) },
    });
    const xml = (XMLDATA: string) =>
      send(to, '/nrdp/', new URLSearchParams({ token: 'x', cmd: 'submitcheck', XMLDATA }).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
    const written = `<?xml version='1.0'?><!-- by cron --><checkresults><checkresult type='service' checktype='1'><hostname>db-1</hostname>
      <servicename>&quot;fan&#34; &amp; co</servicename><state>2</state><output><![CDATA[<hot> ]]>|rpm=9</output></checkresult>
      <checkresult type="host"><hostname>db-1</hostname><state>0</state><output/></checkresult></checkresults>`;
    expect((await xml(written)).body).toEqual({ result: { status: 0, message: 'OK', meta: { output: '2 checks processed.' } } });
    expect((await messagesOf('db-1 "fan" & co'))[0]).toMatchObject({ Metrics: { rpm: 9 }, Properties: { Output: '<hot>' } });
    for (const [wrong, why] of [
      ['', 'it has no elements'],
      ['<!DOCTYPE a [<!ENTITY b "c">]><checkresults/>', 'document type'],
      ['<checkresults><checkresult><hostname>db-1</hostname><state>0', 'is not closed'],
    ] as const)
      expect((await xml(wrong)).text).toContain(why);
    // What curl sends by default is no form.
    expect((await send(to, '', 'db-1\tcurl\t0\tfine\n', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(200);
    const icinga = {
      type: 'Service',
      filter: 'host.name=="db-1" && service.name=="raid"',
      exit_status: 2,
      plugin_output: 'RAID CRITICAL',
      performance_data: ['disks=3'],
    };
    expect((await send(to, '/v1/actions/process-check-result', icinga)).status).toBe(200);
    expect((await messagesOf('db-1 load'))[0]).toMatchObject({ States: { Severity: 'critical' }, Metrics: { load1: 9 } });
    expect((await messagesOf('db-1 swap'))[0]).toMatchObject({ States: { Alert: 'firing', Severity: 'warning' } });
    expect((await messagesOf('db-1 raid'))[0]).toMatchObject({ States: { Severity: 'critical' }, Metrics: { disks: 3 } });
    expect((await send(to, '', { service: 'x', state: 0 })).status).toBe(400);
    // Icinga 2 names a service with its host.
    expect((await send(to, '', { service: 'db-2!fan', exit_status: 1, plugin_output: 'slow', check_source: null })).status).toBe(200);
    expect((await messagesOf('db-2 fan'))[0]).toMatchObject({ States: { Severity: 'warning' } });
  });

  it('are commands of the command file of Nagios', async () => {
    const to = await source('Nagios', { opensUnits: false });
    const at = Math.floor(Date.now() / 1_000) - 5;
    const lines = `[${at}] PROCESS_SERVICE_CHECK_RESULT;db-3;disk;2;DISK CRITICAL; sda|/=99%;80;90\n[${at}] PROCESS_HOST_CHECK_RESULT;db-3;1;no answer\n`;
    expect((await send(to, '', lines, text)).body).toEqual({ stored: 2, duplicate: 0, refused: 0 });
    expect((await messagesOf('db-3 disk'))[0]).toMatchObject({ Metrics: { '/': 99 }, Properties: { Output: 'DISK CRITICAL; sda' } });
    expect((await messagesOf('db-3'))[0]).toMatchObject({ Properties: { State: 'DOWN' } });
    expect((await send(to, '', lines, text)).body).toEqual({ stored: 0, duplicate: 2, refused: 0 });
  });

  it('come from the script for Zabbix in docs/SOURCES.md', async () => {
    const to = await source('Nagios');
    const page = await readFile(new URL('../../../docs/SOURCES.md', import.meta.url), 'utf8');
    const script = /### Zabbix[\s\S]+?((?: {4}.*\n)+)/.exec(page)?.[1] ?? '';
    /** Runs the script with the object of Zabbix for requests, which notes what would be sent. */
    const bodyOf = (value: object): string => {
      let sent = '';
      class HttpRequest {
        addHeader(header: string): void {
          expect(header).toBe('Content-Type: application/json');
        }
        post(_address: string, body: string): string {
          sent = body;
          return '';
        }
        getStatus(): number {
          return 200;
        }
      }
      expect(compileFunction(script, ['value', 'HttpRequest'])(JSON.stringify(value), HttpRequest)).toBe('OK');
      return sent;
    };
    const problem = { URL: 'x', host: 'db-1', service: 'Disk space is low', value: '1', severity: '4', output: 'Disk "/" is full' };
    for (const event of [problem, { ...problem, severity: '2' }, { ...problem, value: '0' }])
      expect((await send(to, '', bodyOf(event), { 'content-type': 'application/json' })).body).toMatchObject({ stored: 1 });
    const sent = await messagesOf('db-1 Disk space is low');
    expect(sent.map(({ States }) => [States?.['Alert'], States?.['Severity']])).toEqual([
      ['firing', 'critical'],
      ['firing', 'warning'],
      ['resolved', expect.anything()],
    ]);
  });
});
