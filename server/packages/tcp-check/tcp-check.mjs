import { connect, isIP } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { CouldNotLook, faultOf, host, nameTooLate, number, reportDown, reportUp, round, run, text } from './operation.mjs';

const answerMax = 65_536;

function converse(host, port, send, expected, limitMs) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const socket = connect({ host, port });
    const decoder = new StringDecoder();
    let isResolved = isIP(host) !== 0;
    let connectedAt = 0;
    let received = '';
    const timer = setTimeout(() => {
      if (!isResolved) return socket.destroy(new CouldNotLook(nameTooLate.reason));
      const what = connectedAt === 0 ? 'No connection' : 'No such answer';
      socket.destroy(new Error(`${what} within the time limit`));
    }, limitMs);
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ connectMs: connectedAt - startedAt, received });
    };
    socket.once('lookup', () => (isResolved = true));
    socket.once('connect', () => {
      connectedAt = performance.now();
      if (send !== '') socket.write(`${send}\r\n`);
      if (expected === '') end();
    });
    socket.on('data', (part) => {
      received = (received + decoder.write(part)).slice(-answerMax);
      if (received.includes(expected)) end();
    });
    socket.once('end', () => socket.destroy(new Error('The connection was closed without that answer')));
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

async function check() {
  const target = host();
  const port = number('Port', { fallback: Number.NaN, min: 1, max: 65_535 });
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  try {
    const { connectMs, received } = await converse(target, port, text('Send'), text('Expect'), limitMs);
    const answer = received.split('\n')[0].trim();
    reportUp('Reachable', {
      value: round(connectMs),
      metrics: { ConnectMs: round(connectMs) },
      states: answer ? { Answer: answer.slice(0, 200) } : {},
    });
  } catch (error) {
    if (error instanceof CouldNotLook) throw error;
    const { isOwn, reason } = faultOf(error);
    if (isOwn) throw new CouldNotLook(reason);
    reportDown('Reachable', reason, { message: `${target}:${port}: ${reason}` });
  }
}

await run({ 'TCP check': check }, 'Reachable');
