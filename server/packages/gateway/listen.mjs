/** Sockets that listen, and what is wrong when they cannot. */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { text } from './operation.mjs';

/** Datagrams that wait in the system while this process is busy. */
const bufferBytes = 4_194_304;

function bindFault(error, what, port) {
  const faults = {
    EADDRINUSE: `another program of this machine listens there. End it, or choose another port`,
    EACCES: `ports below 1024 need a privilege. Choose one above, such as ${port < 64_000 ? port + 5_000 : 5_514}, and let a firewall redirect ${port} to it`,
    EPERM: 'this machine does not permit it',
    EADDRNOTAVAIL: 'this machine does not have the address of Listen on',
  };
  return new Error(`${what} ${port} cannot be opened: ${faults[error.code] ?? error.message}.`);
}

/** A port, or undefined if the parameter is empty or 0. */
export function portOf(name, fallback) {
  const written = text(name) === '' ? String(fallback) : text(name);
  const port = Number(written);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${name} must be a port from 1 to 65535, or 0 for none.`);
  return port === 0 ? undefined : port;
}

/** The address of `Listen on`. */
export function listenAddress() {
  const address = text('Listen on') || '0.0.0.0';
  if (isIP(address) === 0) throw new Error('Listen on must be an address of this machine, 0.0.0.0, or :: for IPv4 and IPv6.');
  return address;
}

/** Opens a UDP port. */
export function openUdp(port, address, onMessage) {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4' });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => reject(bindFault(error, 'UDP port', port)));
    socket.bind(port, address, () => {
      socket.removeAllListeners('error');
      // An answer that could not be sent.
      socket.on('error', () => undefined);
      try {
        socket.setRecvBufferSize(bufferBytes);
      } catch {
        // The system permits less.
      }
      socket.on('message', onMessage);
      resolve(socket);
    });
  });
}

/** Opens a TCP or TLS port with a server of Node. */
export function openServer(server, what, port, address) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(bindFault(error, what, port)));
    server.listen(port, address, () => {
      server.removeAllListeners('error');
      server.on('error', () => undefined);
      resolve(server);
    });
  });
}

/** Datagrams for a port that the system had no room for, since the port is open; undefined where the system does not say. */
export function droppedBySystem(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  let dropped;
  for (const file of ['/proc/net/udp', '/proc/net/udp6']) {
    try {
      for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
        const parts = line.trim().split(/\s+/);
        if (parts[1]?.endsWith(`:${hex}`)) dropped = (dropped ?? 0) + Number(parts.at(-1));
      }
    } catch {
      // Another system than Linux.
    }
  }
  return dropped;
}
