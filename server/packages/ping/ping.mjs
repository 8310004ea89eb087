import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { number, report, required, round, run } from './operation.mjs';

/**
 * Runs the ping program. An exit code other than 0 is no error: it says that answers are missing, which the report contains.
 */
function ping(host, count) {
  const args = platform() === 'win32' ? ['-n', String(count), '-w', '2000', host] : ['-n', '-c', String(count), '-i', '0.2', host];
  return new Promise((resolve, reject) => {
    execFile('ping', args, { timeout: 50_000, env: { ...process.env, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(new Error('This machine has no ping program.'));
      else resolve({ stdout, stderr });
    });
  });
}

async function check() {
  const host = required('Host');
  if (host.startsWith('-')) throw new Error('Host must be a name or an address.');
  const count = number('Count', { fallback: 3, min: 1, max: 20 });
  const { stdout, stderr } = await ping(host, count);
  // One line per answer, in every language: `time=0.031 ms`, `Zeit<1ms`.
  const times = [...stdout.matchAll(/\b\w+[=<]\s?(\d+(?:[.,]\d+)?)\s?ms\b/g)].slice(0, count).map(([, ms]) => Number(ms.replace(',', '.')));
  const loss = round((100 * (count - times.length)) / count);
  if (times.length === 0) {
    const reason = stderr.trim().split('\n')[0] || 'No answer';
    report({
      value: null,
      metrics: { Up: 0, LossPercent: 100 },
      states: { Reachable: 'Down', Reason: reason },
      message: `${host}: ${reason}`,
    });
    return;
  }
  const average = round(times.reduce((sum, ms) => sum + ms, 0) / times.length, 3);
  report({
    value: average,
    metrics: { Up: 1, LossPercent: loss, MinMs: Math.min(...times), AverageMs: average, MaxMs: Math.max(...times) },
    states: { Reachable: 'Up' },
  });
}

await run({ Ping: check });
