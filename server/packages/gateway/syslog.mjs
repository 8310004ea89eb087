/** Listens for syslog over UDP, TCP and TLS. What a message says is read by the server; here it is only checked who sends it. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer, isIP } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { parseSyslog } from '@cloudfit/contract/sources/syslog.ts';
import { splitter } from './framing.mjs';
import { endWith, guarded, openItems } from './items.mjs';
import { droppedBySystem, listenAddress, openServer, openUdp, portOf } from './listen.mjs';
import { number, secret, text } from './operation.mjs';
import { mayNotName, notAllowed, plainAddress, readAllowed, readRates, tooMany } from './senders.mjs';

const connectionsMax = 1_000;
const connectionsOfSender = 50;

const strict = new TextDecoder('utf-8', { fatal: true });
/** Text of UTF-8, or of Latin-1, which old devices send. */
function decoded(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** PEM from a secret, or from a file of the machine. */
function pem(secretName, parameter) {
  const written = secret(secretName);
  if (written !== '') return written;
  const file = text(parameter);
  if (file === '') return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`${parameter}: ${file} cannot be read (${error.code}).`, { cause: error });
  }
}

function tlsOptions() {
  const [cert, key, ca] = [pem('TLS_CERTIFICATE', 'Certificate file'), pem('TLS_KEY', 'Key file'), pem('CLIENT_CA', 'Client CA file')];
  if (!cert || !key)
    throw new Error(
      'TLS port needs a certificate and its key: Certificate file and Key file, or the secrets {TLS certificate} and {TLS key}.',
    );
  return { cert, key, minVersion: 'TLSv1.2', ...(ca ? { ca, requestCert: true, rejectUnauthorized: true } : {}) };
}

/** Whether the client certificate of a connection is for this name, which anybody may have written. */
function isCertified(certificate, name) {
  if (!certificate) return false;
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  const isName = /^[\w.-]+$/.test(name);
  return isName && (certificate.checkHost(name) !== undefined || certificate.subject?.split('\n').includes(`CN=${name}`) === true);
}

export async function listenForSyslog() {
  const address = listenAddress();
  const ports = { udp: portOf('UDP port', 5_514), tcp: portOf('TCP port', 0), tls: portOf('TLS port', 0) };
  if (!ports.udp && !ports.tcp && !ports.tls) throw new Error('Set at least one of UDP port, TCP port and TLS port.');
  const max = number('Longest message', { fallback: 8_192, min: 480, max: 65_536 });
  const allowed = readAllowed();
  const rates = readRates();
  const items = openItems();

  function tooLong(sender, length) {
    items.refuse({
      code: 'MessageTooLong',
      message: `A message of ${sender} has ${length} bytes or more; Longest message is ${max}.`,
      sender,
      sample: { sender, bytes: length },
    });
  }

  /** Takes a message. What costs little is looked at first, so that a flood costs its neighbours nothing. */
  const take = (bytes, sender, ...more) => guarded(items, sender, () => judge(bytes, sender, ...more));

  function judge(bytes, sender, transport, certificate) {
    if (!allowed.has(sender)) return items.refuse(notAllowed(sender));
    if (!rates.take(sender)) return items.refuse(tooMany(sender, rates.rate));
    if (bytes.length > max) return tooLong(sender, bytes.length);
    const message = decoded(bytes);
    const parsed = parseSyslog(message);
    const sample = { sender, text: message.slice(0, 500) };
    if (typeof parsed === 'string') return items.refuse({ code: 'MalformedMessage', message: `${sender}: ${parsed}`, sender, sample });
    const { hostname } = parsed;
    let verified = transport === 'udp' ? 'no' : 'address';
    if (hostname !== undefined && hostname !== sender) {
      const certified = isCertified(certificate, hostname);
      const named = certified ? 'bound' : allowed.mayName(sender, hostname);
      if (!named) return items.refuse({ ...mayNotName(sender, hostname), sample });
      // Anybody can write any address into a datagram, so it vouches for nothing.
      verified = certified ? 'certificate' : named === 'bound' ? verified : 'no';
    }
    return items.add({ sender, transport, verified, text: message });
  }

  const connections = new Map();
  const sockets = new Set();
  function connected(socket, transport) {
    const sender = plainAddress(socket.remoteAddress ?? '');
    const ofSender = connections.get(sender) ?? 0;
    if (!allowed.has(sender)) {
      items.refuse(notAllowed(sender));
      return socket.destroy();
    }
    if (sockets.size >= connectionsMax || ofSender >= connectionsOfSender) {
      items.refuse({
        code: 'TooManyConnections',
        message: `${sender} has ${ofSender} of ${connectionsOfSender} connections, and all senders ${sockets.size} of ${connectionsMax}; a further one is refused.`,
        sender,
      });
      return socket.destroy();
    }
    connections.set(sender, ofSender + 1);
    sockets.add(socket);
    socket.setKeepAlive(true, 60_000);
    const raw = transport === 'tls' ? socket.getPeerCertificate()?.raw : undefined;
    const certificate = raw && socket.authorized ? new X509Certificate(raw) : undefined;
    const split = splitter(
      max,
      (bytes) => take(bytes, sender, transport, certificate),
      (length) => tooLong(sender, length),
    );
    socket.on('data', split.add);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      split.end();
      sockets.delete(socket);
      const left = (connections.get(sender) ?? 1) - 1;
      if (left === 0) connections.delete(sender);
      else connections.set(sender, left);
    });
  }

  const open = [];
  if (ports.udp) {
    open.push(await openUdp(ports.udp, address, (bytes, { address: from }) => take(bytes, plainAddress(from), 'udp')));
  }
  if (ports.tcp)
    open.push(
      await openServer(
        createTcpServer((socket) => connected(socket, 'tcp')),
        'TCP port',
        ports.tcp,
        address,
      ),
    );
  if (ports.tls) {
    let server;
    try {
      server = createTlsServer(tlsOptions(), (socket) => connected(socket, 'tls'));
    } catch (error) {
      throw error.code?.startsWith('ERR_')
        ? new Error(`The certificate or its key cannot be used: ${error.message}`, { cause: error })
        : error;
    }
    server.on('tlsClientError', (error, socket) => {
      const sender = plainAddress(socket?.remoteAddress ?? '');
      items.refuse({
        code: 'TlsFailed',
        message: `The TLS connection of ${sender || 'a sender'} failed: ${error.message.slice(0, 200)}`,
        sender,
      });
    });
    open.push(await openServer(server, 'TLS port', ports.tls, address));
  }
  endWith(() => {
    for (const server of open) server.close();
    for (const socket of sockets) socket.destroy();
    items.close();
  });
  const on = Object.entries(ports)
    .filter(([, port]) => port)
    .map(([name, port]) => `${name.toUpperCase()} ${port}`);
  items.begin(`Listens on ${on.join(', ')} of ${address}.`, () => {
    const dropped = ports.udp ? droppedBySystem(ports.udp) : undefined;
    return { Connections: sockets.size, ...(dropped === undefined ? {} : { DroppedBySystem: dropped }) };
  });
}
