import { connect } from 'node:net';
import { number, report, required, round, run, text } from './operation.mjs';

const answerMax = 65_536;

function converse(host, port, send, expected, limitMs) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const socket = connect({ host, port });
    let connectedAt = 0;
    let received = '';
    const timer = setTimeout(
      () => socket.destroy(new Error(connectedAt === 0 ? 'No connection within the time limit' : 'No such answer within the time limit')),
      limitMs,
    );
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ connectMs: connectedAt - startedAt, received });
    };
    socket.once('connect', () => {
      connectedAt = performance.now();
      if (send !== '') socket.write(`${send}\r\n`);
      if (expected === '') end();
    });
    socket.on('data', (part) => {
      received = (received + part.toString()).slice(-answerMax);
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
  const host = required('Host');
  const port = number('Port', { fallback: Number.NaN, min: 1, max: 65_535 });
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  try {
    const { connectMs, received } = await converse(host, port, text('Send'), text('Expect'), limitMs);
    const answer = received.split('\n')[0].trim();
    report({
      value: round(connectMs),
      metrics: { Up: 1, ConnectMs: round(connectMs) },
      states: { Reachable: 'Up', ...(answer ? { Answer: answer.slice(0, 200) } : {}) },
    });
  } catch (error) {
    const reason = error.code ?? error.message;
    report({ value: null, metrics: { Up: 0 }, states: { Reachable: 'Down', Reason: reason }, message: `${host}:${port}: ${reason}` });
  }
}

await run({ 'TCP check': check });
