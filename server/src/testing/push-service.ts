/** A push service for tests: takes messages over HTTP, and reads them as the browser would, with the keys of the subscription (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PushedMessage {
  headers: IncomingHttpHeaders;
  /** The decrypted content. */
  payload: Record<string, unknown>;
  subscription: string;
}

export interface TestBrowser {
  name: string;
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface PushService {
  origin: string;
  received: PushedMessage[];
  /** Subscribes a new browser. */
  browser(name: string): TestBrowser;
  /** The status that the service answers for a browser, by the browser's name; 201 by default. */
  answers: Map<string, number>;
  close(): Promise<void>;
}

const derive = (salt: Buffer, key: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

function decrypt(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const senderKey = body.subarray(21, 21 + idLength);
  const shared = ecdh.computeSecret(senderKey);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey]);
  const ikm = derive(auth, shared, keyInfo, 32);
  const key = derive(salt, ikm, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(salt, ikm, Buffer.from('Content-Encoding: nonce\0'), 12);
  const content = body.subarray(21 + idLength);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(content.subarray(-16));
  const plain = Buffer.concat([decipher.update(content.subarray(0, -16)), decipher.final()]);
  // The content of the last record ends with the delimiter 2 (RFC 8188).
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}

/** Returns the claims and the public key of a call's token; throws unless it is signed for this service (RFC 8292). */
function claimsOf(authorization: string, origin: string): Record<string, unknown> {
  const { t = '', k = '' } = Object.fromEntries([...authorization.matchAll(/([tk])=([\w.-]+)/g)].map(([, name, value]) => [name, value]));
  const [head = '', content = '', signature = ''] = t.split('.');
  const point = Buffer.from(k, 'base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${content}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const claims = JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<string, unknown>;
  if (!isSigned || claims['aud'] !== origin) throw new Error('The message is not signed for this push service.');
  return { ...claims, key: k };
}

export async function startPushService(): Promise<PushService> {
  const received: PushedMessage[] = [];
  const answers = new Map<string, number>();
  const browsers = new Map<string, { ecdh: ReturnType<typeof createECDH>; auth: Buffer; name: string }>();
  let origin = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = request.url?.slice('/push/'.length) ?? '';
      const browser = browsers.get(id);
      const status = answers.get(browser?.name ?? '') ?? 201;
      if (!browser || status !== 201) {
        response.writeHead(browser ? status : 404).end('refused');
        return;
      }
      try {
        const claims = claimsOf(String(request.headers['authorization']), origin);
        const payload = JSON.parse(decrypt(Buffer.concat(chunks), browser.ecdh, browser.auth)) as Record<string, unknown>;
        received.push({ headers: { ...request.headers, ...(claims as Record<string, string>) }, payload, subscription: browser.name });
        response.writeHead(201).end();
      } catch (error) {
        response.writeHead(400).end(String(error));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    answers,
    browser(name) {
      const ecdh = createECDH('prime256v1');
      const auth = randomBytes(16);
      const id = randomBytes(8).toString('hex');
      browsers.set(id, { ecdh, auth, name });
      return {
        name,
        endpoint: `${origin}/push/${id}`,
        keys: { p256dh: ecdh.generateKeys().toString('base64url'), auth: auth.toString('base64url') },
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
