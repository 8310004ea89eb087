import { Resolver } from 'node:dns/promises';
import { number, report, required, round, run, text } from './operation.mjs';

const types = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'PTR'];

/** Formats a DNS record as text, such as `10 mail.example.com`. */
function textOf(answer) {
  if (typeof answer === 'string') return answer;
  if (Array.isArray(answer)) return answer.join('');
  if ('exchange' in answer) return `${answer.priority} ${answer.exchange}`;
  return `${answer.priority} ${answer.weight} ${answer.port} ${answer.name}`;
}

async function check() {
  const name = required('Name');
  const type = (text('Type') || 'A').toUpperCase();
  if (!types.includes(type)) throw new Error(`Type must be one of ${types.join(', ')}.`);
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  const resolver = new Resolver({ timeout: limitMs, tries: 1 });
  if (text('Server') !== '') resolver.setServers([text('Server')]);
  const startedAt = performance.now();
  try {
    const answers = (await resolver.resolve(name, type)).map(textOf);
    const takenMs = round(performance.now() - startedAt);
    const expected = text('Expect').toLowerCase();
    const reason = expected === '' || answers.some((one) => one.toLowerCase() === expected) ? undefined : 'The expected answer is missing';
    report({
      value: takenMs,
      metrics: { Up: reason === undefined ? 1 : 0, AnswerMs: takenMs, Answers: answers.length },
      states: {
        Resolves: reason === undefined ? 'Up' : 'Down',
        Answers: answers.toSorted().join(', ').slice(0, 1_000),
        ...(reason === undefined ? {} : { Reason: reason }),
      },
    });
  } catch (error) {
    const reason = error.code ?? error.message;
    report({ value: null, metrics: { Up: 0, Answers: 0 }, states: { Resolves: 'Down', Reason: reason }, message: `${name}: ${reason}` });
  }
}

await run({ 'DNS check': check });
