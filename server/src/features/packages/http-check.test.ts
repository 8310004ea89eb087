/** The script of the package HTTP check against real servers. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScripts, ended, type Scripts } from '../../testing/scripts.ts';

let scripts: Scripts;
beforeAll(async () => {
  scripts = await createScripts(['http-check']);
});
afterAll(() => scripts.close());

const check = (parameters: Record<string, string>, secrets?: Record<string, string>) =>
  scripts.run('http-check', 'HTTP check', parameters, secrets);
const serve = async (listener: RequestListener) => `http://127.0.0.1:${await scripts.listening(createServer(listener))}`;

it('tells status, phases and whether the text is there', async () => {
  const url = await serve((request, response) => {
    const end = () => response.writeHead(request.url === '/bad' ? 503 : 200).end('The pump is healthy');
    if (request.url === '/half') response.writeHead(200).write('The ');
    else if (request.url !== '/slow') setTimeout(end, 80);
  });
  const up = await check({ Address: url, Text: 'healthy' });
  expect(up.report).toMatchObject({ metrics: { Up: 1, StatusCode: 200, Bytes: 19 }, states: { Reachable: 'Up' } });
  expect(up.report.metrics?.['WaitMs']).toBeGreaterThanOrEqual(75);
  expect(up.report.value).toBe(up.report.metrics?.['TotalMs']);
  const down = async (parameters: Record<string, string>) => {
    const { report } = await check(parameters);
    expect(report).toMatchObject({ metrics: { Up: 0 }, states: { Reachable: 'Down' } });
    return report.states?.['Reason'];
  };
  expect(await down({ Address: url, Text: 'broken' })).toBe('The text is missing');
  expect(await down({ Address: `${url}/bad` })).toBe('Status 503');
  expect((await check({ Address: `${url}/bad`, Status: '503' })).report).toMatchObject({ states: { Reachable: 'Up' } });
  expect(await down({ Address: `${url}/slow`, 'Time limit': '0.2' })).toBe('No answer within the time limit');
  expect(await down({ Address: `${url}/half`, 'Time limit': '2' })).toBe('The answer did not end within the time limit');
  expect(await down({ Address: `http://127.0.0.1:${await scripts.closedPort()}/` })).toBe('The connection was refused');
  const mail = await scripts.listening(createTcpServer((socket) => socket.on('error', () => undefined).end('220 mail ready\r\n\r\n')));
  expect(await down({ Address: `http://127.0.0.1:${mail}/` })).toBe('The answer is not HTTP');
});

describe('a text in the answer', () => {
  const zstd = zlib.zstdCompressSync;
  const text = 'Keine Störung der Pumpe';
  const latin = Buffer.from(text, 'latin1');
  const html = (head: string) => Buffer.concat([Buffer.from(`<html><head>${head}</head>`), latin]);
  const utf16 = (order: 'le' | 'be') => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return order === 'le' ? bytes : bytes.swap16();
  };
  const utf8 = Buffer.from(text);
  const bodies: Record<string, { body: Buffer; headers?: Record<string, string> }> = {
    'UTF-8': { body: utf8 },
    'UTF-8 of decomposed letters': { body: Buffer.from(text.normalize('NFD')) },
    'Latin-1 by header': { body: latin, headers: { 'content-type': 'text/html; charset=ISO-8859-1' } },
    'Latin-1 by meta': { body: html('<meta charset="iso-8859-1">') },
    'Latin-1 by the older meta': { body: html('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">') },
    'Latin-1 that nobody tells': { body: latin },
    'Latin-1 with a charset that nobody knows': { body: latin, headers: { 'content-type': 'text/plain; charset=wrong' } },
    'Latin-1 that says it were UTF-8': { body: latin, headers: { 'content-type': 'text/html; charset=utf-8' } },
    'UTF-8 that says it were Latin-1': { body: utf8, headers: { 'content-type': 'text/html; charset=iso-8859-1' } },
    'UTF-8 with a damaged character': { body: Buffer.concat([Buffer.from([0xff, 0x20]), utf8]) },
    'XML that says it were UTF-16': { body: Buffer.from(`<?xml version="1.0" encoding="utf-16"?><a>${text}</a>`) },
    'UTF-16 by header': { body: utf16('le').subarray(2), headers: { 'content-type': "text/plain; charset='utf-16'" } },
    'UTF-16 LE': { body: utf16('le') },
    'UTF-16 BE': { body: utf16('be') },
    gzip: { body: zlib.gzipSync(utf8), headers: { 'content-encoding': 'gzip' } },
    br: { body: zlib.brotliCompressSync(utf8), headers: { 'content-encoding': 'br' } },
    deflate: { body: zlib.deflateSync(utf8), headers: { 'content-encoding': 'deflate' } },
    'deflate without its head': { body: zlib.deflateRawSync(utf8), headers: { 'content-encoding': 'deflate' } },
    ...(zstd ? { zstd: { body: zstd(utf8), headers: { 'content-encoding': 'zstd' } } } : {}),
    'gzip of br': { body: zlib.gzipSync(zlib.brotliCompressSync(utf8)), headers: { 'content-encoding': 'br, gzip' } },
  };
  let url: string;
  beforeAll(async () => {
    const large = Buffer.alloc(31 * 1024 ** 2, 'x');
    const others: typeof bodies = {
      large: { body: Buffer.concat([large, utf8]) },
      bomb: { body: zlib.gzipSync(large), headers: { 'content-encoding': 'gzip' } },
      damaged: { body: Buffer.from('no gzip'), headers: { 'content-encoding': 'gzip' } },
      strange: { body: utf8, headers: { 'content-encoding': 'sdch' } },
    };
    url = await serve((request, response) => {
      const { body, headers = {} } = { ...bodies, ...others }[decodeURIComponent(request.url?.slice(1) ?? '')] ?? { body: utf8 };
      response.writeHead(200, headers).end(body);
    });
  });

  it.each(Object.keys(bodies))('is found in %s', async (name) => {
    const address = `${url}/${encodeURIComponent(name)}`;
    expect((await check({ Address: address, Text: 'Störung' })).report.states).toEqual({ Reachable: 'Up' });
    expect((await check({ Address: address, Text: 'Storung' })).report.states).toEqual({
      Reachable: 'Down',
      Reason: 'The text is missing',
    });
  });

  it.each([
    ['large', 'Only the first 4 MiB of the answer were read, and the text is not in them'],
    ['bomb', 'Only the first 4 MiB of the answer were read, and the text is not in them'],
    ['damaged', 'The compressed answer (gzip) is damaged: incorrect header check'],
    ['strange', 'The answer has the encoding sdch, which this check cannot read'],
  ])('is neither there nor missing in an answer that is %s', async (name, Reason) => {
    const { report, code } = await check({ Address: `${url}/${name}`, Text: 'Störung' });
    expect([code, report.status, report.states]).toEqual([0, 'Unknown', { Reachable: 'Unknown', Reason }]);
    expect(report.metrics).toMatchObject({ StatusCode: 200 });
    expect(report.metrics).not.toHaveProperty('Up');
  });
});

describe('redirects', () => {
  const requests: { url: string | undefined; method: string | undefined; authorization: string | undefined; key: unknown; body: string }[] =
    [];
  let here: string;
  let there: string;
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { url = '', method, headers } = request;
      requests.push({ url, method, authorization: headers.authorization, key: headers['x-key'], body });
      const [, status, target] = /^\/(\d+)\/(.*)$/.exec(url) ?? [];
      if (status === undefined) response.end('The pump is healthy');
      else response.writeHead(Number(status), { location: target === 'other' ? `${there}/end?token=secret` : `/${target}` }).end('moved');
    });
  };
  beforeAll(async () => {
    here = await serve(listener);
    there = await serve(listener);
  });

  it('are told with their address, and not followed unless somebody says so', async () => {
    expect((await check({ Address: `${here}/302/other` })).report).toMatchObject({
      metrics: { Up: 1, StatusCode: 302 },
      states: { Reachable: 'Up', Redirect: `${there}/end?...` },
      message: expect.stringMatching(/redirects to/),
    });
    expect((await check({ Address: `${here}/302/end`, Text: 'healthy' })).report).toMatchObject({
      status: 'Unknown',
      states: { Reason: `The answer redirects to ${here}/end, so the text was not searched; Follow says how many redirects to follow` },
    });
    expect((await check({ Address: `${here}/302/login`, Status: '200' })).report).toMatchObject({
      states: { Reachable: 'Down', Reason: `Status 302, redirects to ${here}/login` },
    });
  });

  it('are followed up to a number, and a loop is down', async () => {
    expect((await check({ Address: `${here}/302/301/end`, Text: 'healthy', Follow: '2' })).report).toMatchObject({
      metrics: { Up: 1, StatusCode: 200 },
      states: { Reachable: 'Up' },
    });
    expect((await check({ Address: `${here}/302/301/end`, Follow: '1' })).report).toMatchObject({
      states: { Reachable: 'Down', Reason: `The redirect to ${here}/end was not followed: more than 1 redirects` },
    });
  });

  it('keep method, headers and body on the same origin, and drop what is secret for another one', async () => {
    const parameters = { Headers: 'Authorization: Bearer {Token}\nX-Key: 7', Body: '{"on": true}' };
    const secrets = { CLOUDFIT_SECRET_TOKEN: 't0p' };
    requests.length = 0;
    await check({ Address: `${here}/308/end`, Follow: '3', ...parameters }, secrets);
    expect(requests).toEqual(
      ['/308/end', '/end'].map((url) => ({ url, method: 'POST', authorization: 'Bearer t0p', key: '7', body: '{"on": true}' })),
    );
    expect((await check({ Address: `${here}/307/other`, Follow: '3', ...parameters }, secrets)).report.states?.['Reason']).toBe(
      `The redirect to ${there}/end?... was not followed: the body is sent to no other origin`,
    );
    requests.length = 0;
    const withUser = here.replace('//', '//mon:s3cret@');
    await check({ Address: `${withUser}/302/302/other`, Follow: '3', Headers: 'X-Key: 7' });
    expect(requests.map(({ authorization, key }) => [authorization, key])).toEqual([
      [`Basic ${btoa('mon:s3cret')}`, '7'],
      [`Basic ${btoa('mon:s3cret')}`, '7'],
      [undefined, undefined],
    ]);
  });
});

it('shows no user, password, query or header in any report', async () => {
  const port = await scripts.closedPort();
  const answers = await serve((_request, response) => response.writeHead(500).end('no'));
  for (const address of [
    `http://mon:s3cret@127.0.0.1:${port}/health?token=s3cret`,
    `${answers.replace('//', '//mon:s3cret@')}/?key=s3cret`,
  ]) {
    const { output, errors } = await check({ Address: address, Headers: 'X-Key: s3cret' });
    expect(output).toContain('Down');
    expect(output + errors).not.toContain('s3cret');
  }
  expect((await check({ Address: 'http://x', Headers: 's3cret' })).errors).not.toContain('s3cret');
});

describe('certificates', () => {
  let folder: string;
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const at = (days: number) =>
    new Date(Date.now() + days * 86_400_000 + 60_000)
      .toISOString()
      .replaceAll(/[-:T]|\.\d+/g, '')
      .slice(2);
  beforeAll(() => {
    folder = join(scripts.folder, 'certificates');
    mkdirSync(folder);
    const key = (name: string, subject: string) =>
      openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', subject, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    for (const [name, subject] of [
      ['root', '/CN=Plant Root'],
      ['middle', '/CN=Plant Middle'],
      ['leaf', '/CN=localhost'],
    ] as const)
      key(name, subject);
    mkdirSync(join(folder, 'new'));
    for (const [file, text] of [
      ['index.txt', ''],
      ['serial', '01'],
      [
        'ca.cnf',
        '[ca]\ndefault_ca=one\n[one]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=new\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n[authority]\nbasicConstraints=critical,CA:true\n[leaf]\nsubjectAltName=DNS:localhost\n',
      ],
    ] as const)
      writeFileSync(join(folder, file), text);
    const sign = (name: string, by: string[], days: number, extensions: string, out = name) =>
      openssl(
        'ca',
        '-batch',
        '-notext',
        '-config',
        'ca.cnf',
        '-in',
        `${name}.csr`,
        ...by,
        '-startdate',
        `${at(-100)}`,
        '-enddate',
        `${at(days)}`,
        '-extensions',
        extensions,
        '-out',
        `${out}.pem`,
      );
    sign('root', ['-selfsign', '-keyfile', 'root.key'], 1_000, 'authority');
    sign('middle', ['-cert', 'root.pem', '-keyfile', 'root.key'], 20, 'authority');
    sign('leaf', ['-cert', 'middle.pem', '-keyfile', 'middle.key'], 40, 'leaf');
    sign('leaf', ['-cert', 'middle.pem', '-keyfile', 'middle.key'], -7, 'leaf', 'expired');
  });
  const file = (name: string) => readFileSync(join(folder, name));
  const secured = async (certificate: string) => {
    const cert = Buffer.concat([file(certificate), file('middle.pem')]);
    const port = await scripts.listening(createHttpsServer({ key: file('leaf.key'), cert }, (_request, response) => response.end('ok')));
    return `https://localhost:${port}/`;
  };
  const trusting = () => ({ NODE_EXTRA_CA_CERTS: join(folder, 'root.pem') });

  it('tells the days of each certificate of the chain', async () => {
    const { report } = await check({ Address: await secured('leaf.pem') }, trusting());
    expect(report).toMatchObject({
      metrics: { Up: 1, CertificateDays: 40, 'CertificateDays Plant Middle': 20, 'CertificateDays Plant Root': 1_000, ChainDays: 20 },
      states: { Reachable: 'Up' },
    });
    expect(report.metrics?.['TlsMs']).toBeGreaterThan(0);
    expect(report.diagnostics?.['certificates']).toHaveLength(3);
  });

  it('tells them also of one that has expired or is not trusted, with the reason in words', async () => {
    expect((await check({ Address: await secured('expired.pem') }, trusting())).report).toMatchObject({
      metrics: { Up: 0, CertificateDays: -7, 'CertificateDays Plant Middle': 20 },
      states: { Reachable: 'Down', Reason: 'A certificate has expired' },
    });
    const Address = await secured('leaf.pem');
    expect((await check({ Address })).report).toMatchObject({
      metrics: { CertificateDays: 40 },
      states: { Reachable: 'Down', Reason: expect.stringContaining('an authority that this machine does not trust') },
    });
    expect((await check({ Address: Address.replace('localhost', '127.0.0.1') }, trusting())).report.states?.['Reason']).toBe(
      'The certificate is for another name',
    );
    expect((await check({ Address, Certificate: 'Ignore' })).report).toMatchObject({ metrics: { Up: 1, CertificateDays: 40 } });
    expect((await check({ Address: Address.replace('https', 'http') })).report.states?.['Reachable']).toBe('Down');
  });
});

it('sends method, headers and body', async () => {
  const url = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => response.end(`${request.method} ${request.headers['accept']} ${Buffer.concat(parts).toString()}`));
  });
  const parameters = { Address: url, Method: 'put', Headers: 'Accept: application/json', Body: '{"größe": "{Size}"}' };
  const up = { metrics: { Up: 1 } };
  expect((await check({ ...parameters, Text: 'PUT application/json {"größe": "7"}' }, { CLOUDFIT_SECRET_SIZE: '7' })).report).toMatchObject(
    up,
  );
  expect((await check({ Address: url, Text: 'POST' })).report).toMatchObject({
    metrics: { Up: 0 },
    states: { Reason: 'The text is missing' },
  });
  expect((await check({ Address: url, Text: 'GET */*' })).report).toMatchObject(up);
});

it('says what is wrong with its parameters', async () => {
  const error = async (parameters: Record<string, string>) => {
    const { code, errors } = await check(parameters);
    return code === 1 ? errors : 'no error';
  };
  expect(await error({})).toBe('Address is required.\n');
  expect(await error({ Address: 'ftp://x' })).toBe('Address must start with http:// or https://.\n');
  expect(await error({ Address: 'http://x', 'Time limit': '-1' })).toBe('Time limit must be a number from 0.1 to 300.\n');
  expect(await error({ Address: 'http://x', Method: 'HEAD', Text: 'a' })).toMatch(/^Text cannot be searched with the method HEAD/);
  expect(await error({ Address: 'http://x', Headers: 'X-Key: größe\u{1f600}' })).toMatch(/^Invalid character in header content/);
  expect(await error({ Address: 'http://x', Headers: 'no header' })).toBe(
    'Headers must have a header in each line, such as Accept: application/json.\n',
  );
});

// Skipped without nginx, which scripts/debian.mjs installs if it may.
it.skipIf(!existsSync('/usr/sbin/nginx'))('reads what nginx compresses, redirects and refuses', async () => {
  const folder = join(scripts.folder, 'nginx');
  mkdirSync(folder);
  const port = await scripts.closedPort();
  writeFileSync(join(folder, 'index.html'), Buffer.from(`Die Pumpe läuft. ${'x'.repeat(2_000)}`, 'latin1'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log ${folder}/error.log; daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
    http { access_log off; ${temp} gzip on; server { listen 127.0.0.1:${port}; root ${folder}; charset iso-8859-1;
      location = /old { return 301 /; } location = /closed { deny all; } } }`,
  );
  const nginx = spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  try {
    const Address = `http://127.0.0.1:${port}/`;
    for (let tries = 0; tries < 100 && (await check({ Address })).report.metrics?.['Up'] !== 1; tries++);
    expect((await check({ Address, Text: 'läuft' })).report.states).toEqual({ Reachable: 'Up' });
    expect((await check({ Address: `${Address}old`, Text: 'läuft', Follow: '1' })).report.states).toEqual({ Reachable: 'Up' });
    expect((await check({ Address: `${Address}closed` })).report.states).toEqual({ Reachable: 'Down', Reason: 'Status 403' });
  } finally {
    await ended(nginx);
  }
});
