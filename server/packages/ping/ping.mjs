import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { CouldNotLook, host, number, reportDown, reportUp, round, run } from './operation.mjs';
import { statisticsOf } from './statistics.mjs';

const limitMs = 50_000;

/** Runs the ping program of the machine. Its exit code is not needed: an output without statistics says that it could not ask. */
function ping(host, count) {
  const args = platform() === 'win32' ? ['-n', String(count), '-w', '2000', host] : ['-n', '-c', String(count), '-i', '0.2', host];
  return new Promise((resolve, reject) => {
    execFile('ping', args, { timeout: limitMs, env: { ...process.env, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(new CouldNotLook('This machine has no ping program.'));
      else if (error?.code === 'EACCES') reject(new CouldNotLook('The agent may not run the ping program.'));
      else if (error?.killed) reject(new CouldNotLook(`ping did not end within ${limitMs / 1_000} s.`));
      else resolve({ stdout, stderr });
    });
  });
}

async function check() {
  const target = host();
  const count = number('Count', { fallback: 3, min: 1, max: 20 });
  const { stdout, stderr } = await ping(target, count);
  const statistics = statisticsOf(stdout);
  const firstError = stderr.trim().split('\n')[0];
  if (!statistics) throw new CouldNotLook(firstError || stdout.trim().split('\n')[0] || 'ping printed nothing.');
  const { sent, received, duplicates, times, reason } = statistics;
  const loss = { LossPercent: round((100 * (sent - received)) / sent), ...(duplicates > 0 ? { Duplicates: duplicates } : {}) };
  if (received === 0) {
    // ping asked, but the system refused to send each request.
    if (!reason && /operation not permitted|network is unreachable|network is down|no buffer space/i.test(stderr))
      throw new CouldNotLook(firstError);
    reportDown('Reachable', reason ?? 'No answer', { metrics: loss });
    return;
  }
  const average = times.length === 0 ? null : round(times.reduce((sum, ms) => sum + ms, 0) / times.length, 3);
  const range = average === null ? {} : { MinMs: Math.min(...times), AverageMs: average, MaxMs: Math.max(...times) };
  reportUp('Reachable', { value: average, metrics: { ...loss, ...range } });
}

await run({ Ping: check }, 'Reachable');
