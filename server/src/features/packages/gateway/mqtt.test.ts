/** Topics of Debian's mosquitto, by TLS and password. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../testing/server-process.ts';
import { createListeners, codes, type Listeners, openssl, until } from './listening.ts';
import { ended } from '../../../testing/scripts.ts';

const run = promisify(execFile);
let listeners: Listeners;
beforeAll(async () => {
  listeners = await createListeners();
});
afterEach(() => listeners.stopAll());
afterAll(() => listeners.scripts.close());
const listen: Listeners['listen'] = (...args) => listeners.listen(...args);

describe.skipIf(!existsSync('/usr/sbin/mosquitto'))('MQTT', () => {
  const brokers: ChildProcess[] = [];
  afterEach(async () => {
    for (const broker of brokers.splice(0)) await ended(broker);
  });

  async function mosquitto(port: number): Promise<ChildProcess> {
    const files = join(listeners.scripts.folder, 'mqtt');
    mkdirSync(files, { recursive: true });
    if (!existsSync(join(files, 'ca.pem'))) {
      openssl(
        files,
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost,IP:127.0.0.1',
        '-keyout',
        'key.pem',
        '-out',
        'ca.pem',
      );
      writeFileSync(join(files, 'passwords'), '');
      await run('/usr/bin/mosquitto_passwd', ['-b', join(files, 'passwords'), 'eva', 'se cret']);
      writeFileSync(join(files, 'acl'), 'user eva\ntopic plant/#\n');
      await run('chmod', ['-R', 'a+rX', files]);
      await run('chmod', ['a+rX', listeners.scripts.folder]);
    }
    writeFileSync(
      join(files, 'mosquitto.conf'),
      `listener ${port} 127.0.0.1\ncafile ${files}/ca.pem\ncertfile ${files}/ca.pem\nkeyfile ${files}/key.pem\npassword_file ${files}/passwords\nallow_anonymous false\nuser root\npersistence false\n`,
    );
    const broker = spawn('/usr/sbin/mosquitto', ['-c', join(files, 'mosquitto.conf')], { stdio: 'pipe' });
    brokers.push(broker);
    let log = '';
    broker.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    broker.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await until(
      'the broker starts',
      () => log.includes('running'),
      () => log,
    );
    return broker;
  }

  it('is heard by TLS and password; what comes while the listener is away comes afterwards, and retained values once', async () => {
    const port = await freePort();
    await mosquitto(port);
    const ca = join(listeners.scripts.folder, 'mqtt', 'ca.pem');
    const publish = (topic: string, payload: string, ...args: string[]) =>
      run('/usr/bin/mosquitto_pub', [
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '--cafile',
        ca,
        '-u',
        'eva',
        '-P',
        'se cret',
        '-q',
        '1',
        '-t',
        topic,
        '-m',
        payload,
        ...args,
      ]);
    await publish('plant/kept', '1', '-r');
    const parameters = { Broker: `mqtts://127.0.0.1:${port}`, Topics: 'plant/#', User: 'eva', 'CA file': ca };
    const listener = await listen('MQTT', parameters, { PASSWORD: 'se cret' });
    await publish('plant/press-1/temperature', '21.5');
    await publish('plant/press-1/text', 'läuft');
    await publish('other', 'not asked for');
    await listener.until('three messages', (all) => all.length === 3);
    await listener.stop('SIGKILL');
    await publish('plant/press-1/temperature', '22');
    const again = await listen('MQTT', parameters, { PASSWORD: 'se cret' }, listener.folder);
    const items = await again.until('the message of meanwhile', (all) => all.length >= 4);
    expect(items.map(({ topic, payload, retain }) => [topic, payload, retain])).toEqual([
      ['plant/kept', '1', true],
      ['plant/press-1/temperature', '21.5', false],
      ['plant/press-1/text', 'läuft', false],
      ['plant/press-1/temperature', '22', false],
    ]);
    await run('/usr/bin/mosquitto_pub', [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '--cafile',
      ca,
      '-u',
      'eva',
      '-P',
      'se cret',
      '-t',
      'plant/image',
      '-f',
      '/bin/true',
    ]);
    await again.until('a refusal', (all) => codes(all).length > 0);
    expect(codes(again.items())).toEqual([expect.stringMatching(/^(NoText|MessageTooLong)$/)]);
  });

  it('says why it does not reach its broker, goes on, and is there again with the broker', async () => {
    const port = await freePort();
    const ca = join(listeners.scripts.folder, 'mqtt', 'ca.pem');
    const parameters = { Broker: `mqtts://127.0.0.1:${port}`, Topics: 'plant/#', User: 'eva', 'CA file': ca };
    const away = await listen('MQTT', { ...parameters, 'CA file': '' }, { PASSWORD: 'se cret' });
    expect(away.output()).toContain('The connection was refused');
    await mosquitto(port);
    await until('the certificate is not trusted', () => away.output().includes('is not trusted'), away.output);
    const wrong = await listen('MQTT', parameters, { PASSWORD: 'wrong' });
    expect(wrong.output()).toContain('the broker does not ');
    const faultOf = async (more: Record<string, string>): Promise<string> => {
      const listener = await listen('MQTT', { ...parameters, ...more });
      expect(await listener.exit).toBe(1);
      return listener.errors().trim();
    };
    expect(await faultOf({ Broker: 'broker.example' })).toMatch(/^Broker: broker.example is not an address such as mqtts/);
    expect(await faultOf({ Broker: 'mqtt://eva:secret@b' })).toMatch(/^Broker: give the user as User, and the password as the secret/);
    expect(await faultOf({ Topics: 'plant/#/x' })).toMatch(/^Topics: plant\/#\/x is no filter/);
  });
});
