/** The operations Log pattern and Journal pattern: new lines that match. */
import { join } from 'node:path';
import { follow } from './follow.mjs';
import { readJournal } from './journal.mjs';
import { logFiles } from './log-names.mjs';
import { encodings } from './log-text.mjs';
import { createMatches, expressionOf } from './matches.mjs';
import { number, report, required, text } from './operation.mjs';
import { openPosition } from './positions.mjs';

const folder = join(import.meta.dirname, '..', 'data');
/** The maximum bytes and seconds of one run; the next run continues after them. */
const runBytes = 64 * 1024 ** 2;
const runSeconds = 30;
const aroundMax = 20;

function choice(name, choices) {
  const value = text(name) || choices[0];
  const match = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (!match) throw new Error(`${name} must be one of ${choices.join(', ')}.`);
  return match;
}

function createBudget() {
  const startedAt = performance.now();
  let bytes = 0;
  return {
    spend: (count) => (bytes += count),
    bytes: () => bytes,
    isSpent: () => bytes >= runBytes || performance.now() - startedAt > runSeconds * 1_000,
  };
}

/**
 * Reports what was read. A run that could not read everything fails and says why, with the state Unknown or Missing: it must not look
 * like one that has found nothing.
 */
function tell(reading, state, reasons, notes) {
  report({
    ...reading,
    value: state === 'Read' || reading.value > 0 ? reading.value : null,
    states: { Log: state, ...(reasons.length > 0 ? { Reason: reasons.join(' ').slice(0, 1_000) } : {}), ...reading.states },
    ...(reasons.length + notes.length > 0 ? { message: [...reasons, ...notes].join(' ') } : {}),
    ...(state === 'Unknown' ? { status: state } : {}),
  });
  if (state === 'Read') return;
  process.stderr.write(`${reasons.join(' ')}\n`);
  process.exitCode = 1;
}

function parameters() {
  const lines = { fallback: 0, min: 0, max: aroundMax };
  return {
    expression: expressionOf(required('Pattern')),
    fromStart: choice('First run', ['End', 'Start']) === 'Start',
    around: { before: number('Lines before', lines), after: number('Lines after', lines) },
  };
}

export async function logPattern() {
  const path = required('Path');
  const { expression, fromStart, around } = parameters();
  const encoding = choice('Encoding', encodings);
  const { position, isDamaged, save } = await openPosition({ folder, key: path, legacyKey: `${path}\0${required('Pattern')}` });
  const { files, currentCount, faults, notes } = logFiles(path, position ?? []);
  const matches = createMatches(expression, around);
  const budget = createBudget();
  const result = await follow({
    files,
    records: position,
    fromStart,
    now: Date.now(),
    encoding,
    before: around.before,
    chunkBytes: 1024 ** 2,
    budget,
    onFile: matches.beginFile,
    onLine: matches.add,
  });
  faults.push(...result.faults);
  const isMissing = currentCount === 0 && faults.length === 0;
  if (isMissing) faults.push(`There is no file ${path}.`);
  if (result.cutLines > 0) notes.push(`Of ${result.cutLines} lines, only the first MiB was read.`);
  for (const lost of result.lost)
    notes.push(`What ${lost} had at the last run has gone; lines that were written to it after that run are not seen.`);
  if (result.bytesLeft > budget.bytes() && budget.isSpent()) notes.push('The log grows faster than it is read.');
  if (isDamaged) notes.push('The position of the last run was damaged, so this run began as the first one.');
  const reading = matches.reading();
  const metrics = { ...reading.metrics, Files: currentCount, BytesRead: budget.bytes(), BytesLeft: result.bytesLeft };
  tell({ ...reading, metrics }, isMissing ? 'Missing' : faults.length > 0 ? 'Unknown' : 'Read', faults, notes);
  // After the report: a run that is killed before has told nothing, and the next one reads the same lines again.
  await save(result.records, reading.value > 0);
}

export async function journalPattern() {
  const { expression, fromStart, around } = parameters();
  const unit = text('Unit');
  const { position, save } = await openPosition({ folder, key: `journal\0${unit}`, legacyKey: '' });
  const matches = createMatches(expression, around);
  const budget = createBudget();
  const result = await readJournal({ unit, position, fromStart, budget, onLine: matches.add });
  const reading = matches.reading();
  const metrics = { ...reading.metrics, BytesRead: budget.bytes() };
  tell({ ...reading, metrics }, result.faults.length > 0 ? 'Unknown' : 'Read', result.faults, result.notes);
  if (result.position) await save(result.position, reading.value > 0);
}
