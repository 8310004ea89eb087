import { Resolver } from 'node:dns/promises';
import { CouldNotLook, faultOf, number, reportDown, reportUp, required, round, run, text } from './operation.mjs';

const types = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'PTR'];
/** Datagrams get lost, so a question is asked this often. Each wait is twice as long as the one before. */
const tries = 3;

const faults = {
  ENODATA: 'The name has no record of this type',
  ENOTFOUND: 'The name does not exist',
  ESERVFAIL: 'The name server failed',
  EREFUSED: 'The name server refuses to answer',
  ENOTIMP: 'The name server does not know this kind of question',
  EFORMERR: 'The name server does not understand the question',
  ETIMEOUT: `The name server did not answer ${tries} questions`,
  ECANCELLED: 'The name server did not answer within the time limit',
};

/** Formats a DNS record as text, such as `10 mail.example.com`. */
function textOf(answer) {
  if (typeof answer === 'string') return answer;
  if (Array.isArray(answer)) return answer.join('');
  if ('exchange' in answer) return `${answer.priority} ${answer.exchange}`;
  return `${answer.priority} ${answer.weight} ${answer.port} ${answer.name}`;
}

const comparable = (answer) => answer.toLowerCase().replace(/\.$/, '');

async function check() {
  const name = required('Name');
  const type = (text('Type') || 'A').toUpperCase();
  if (!types.includes(type)) throw new Error(`Type must be one of ${types.join(', ')}.`);
  const limitMs = 1_000 * number('Time limit', { fallback: 5, min: 0.1, max: 300 });
  const resolver = new Resolver({ timeout: Math.max(1, Math.floor(limitMs / (2 ** tries - 1))), tries });
  if (text('Server') !== '') resolver.setServers([text('Server')]);
  const startedAt = performance.now();
  const timer = setTimeout(() => resolver.cancel(), limitMs);
  try {
    const answers = (await resolver.resolve(name, type)).map(textOf);
    const takenMs = round(performance.now() - startedAt);
    const expected = comparable(text('Expect'));
    const parts = {
      value: takenMs,
      metrics: { AnswerMs: takenMs, Answers: answers.length },
      states: { Answers: answers.toSorted().join(', ').slice(0, 1_000) },
    };
    if (expected === '' || answers.some((answer) => comparable(answer) === expected)) reportUp('Resolves', parts);
    else reportDown('Resolves', 'The expected answer is missing', parts);
  } catch (error) {
    if (error.code === 'EBADNAME') throw new Error(`Name: ${name} is no name that can be asked for.`);
    if (error.code === 'EBADRESP') throw new CouldNotLook('The answer of the name server cannot be read.');
    const { isOwn, reason } = faults[error.code] ? { isOwn: false, reason: faults[error.code] } : faultOf(error);
    if (isOwn) throw new CouldNotLook(reason);
    reportDown('Resolves', reason, { metrics: { Answers: 0 }, message: `${name}: ${reason}` });
  } finally {
    clearTimeout(timer);
  }
}

await run({ 'DNS check': check }, 'Resolves');
