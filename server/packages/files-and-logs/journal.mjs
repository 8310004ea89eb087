/** Reads the entries of systemd's journal that were added since the last run, each once, by the cursor of the last entry. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** MESSAGE is a text, bytes if it is not UTF-8, or several of these. */
function messageOf(entry) {
  const { MESSAGE: message } = entry;
  if (Array.isArray(message))
    return message.every(Number.isInteger)
      ? Buffer.from(message).toString()
      : message.map((item) => messageOf({ MESSAGE: item })).join('\n');
  return typeof message === 'string' ? message : '';
}

/** Starts journalctl and passes each entry to `onEntry` until that returns false. Returns what journalctl says besides. */
async function journalctl(args, onEntry) {
  const child = spawn('journalctl', ['-o', 'json', '--no-pager', '--all', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  let isEnough = false;
  child.stderr.on('data', (part) => (errors = (errors + part).slice(-4_000)));
  const ended = new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(error.code === 'ENOENT' ? 'This machine has no journalctl.' : error.message)));
    child.once('close', resolve);
  });
  ended.catch(() => undefined);
  for await (const line of createInterface({ input: child.stdout })) {
    if (isEnough || !line.startsWith('{')) continue;
    isEnough = onEntry(JSON.parse(line), line.length) === false;
    if (isEnough) child.kill('SIGKILL');
  }
  const code = await ended;
  return { errors: errors.trim(), isFailed: code !== 0 && !isEnough, isEnough };
}

/** Reads new entries of a unit, or of all. `position` is what the last run returned. */
export async function readJournal({ unit, position, fromStart, budget, onLine }) {
  const filter = unit === '' ? [] : ['--unit', unit];
  const notes = [];
  let cursor = position?.cursor;
  let first = [];
  // The first run begins after the last entry of the whole journal, because the unit may have none yet.
  if (position === undefined && !fromStart) first = ['-n', '1'];
  const from = cursor ? [`--after-cursor=${cursor}`] : first;
  const { errors, isFailed, isEnough } = await journalctl([...(first.length > 0 ? [] : filter), ...from], (entry, bytes) => {
    cursor = entry['__CURSOR'];
    if (first.length > 0) return true;
    for (const line of messageOf(entry).split('\n')) onLine(line);
    budget.spend(bytes);
    return !budget.isSpent();
  });
  if (isEnough) notes.push('The journal grows faster than it is read.');
  // journalctl ends with 0 when it may read a part of the journal only; the hint is about entries of other accounts and the system.
  const isPartly = /insufficient permissions|not seeing messages from/i.test(errors);
  const faults =
    isFailed || isPartly ? [`The journal cannot be read${isPartly && !isFailed ? ' completely' : ''}: ${errors.split('\n')[0]}`] : [];
  return { position: isFailed ? undefined : { cursor }, faults, notes };
}
