import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packetMessage } from '@cloudfit/contract/resources/packets.ts';
import { isStorable, knownFields, messageProblem, nothingKnown } from './check-message.ts';

const key = fc.constantFrom('Cpu', 'x', 'Health', '');
const scalar = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(Infinity));
const anything = fc.oneof({ depthSize: 'small' }, scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(key, scalar), fc.jsonValue());
const part = fc.oneof(fc.dictionary(key, scalar), fc.dictionary(key, fc.integer()), anything);
const message = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { Value: anything, Properties: part, Metrics: part, States: part, Diagnostics: anything, Other: anything },
      { requiredKeys: [] },
    ),
  },
  anything,
);

describe('messageProblem', () => {
  it('agrees with the schema of the contract on every message', () => {
    fc.assert(
      fc.property(message, (value) => {
        // The schema drops this key; the server stores the JSON text unchanged.
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        const parsed = packetMessage.safeParse(value);
        expect(messageProblem(value) === undefined).toBe(parsed.success);
        if (parsed.success) expect(JSON.stringify(knownFields(value as Record<string, unknown>))).toBe(JSON.stringify(parsed.data));
      }),
      { numRuns: 3_000 },
    );
  });

  it('names what is wrong', () => {
    expect(messageProblem({ Metrics: { Cpu: '5' } })).toBe('Metrics.Cpu must be a number.');
    expect(messageProblem({ States: { Health: {} } })).toBe('States.Health must be text, a number or a boolean.');
    expect(messageProblem('x')).toBe('message must be an object.');
  });

  it('refuses values that would all be dropped, unless known ones stand beside them', () => {
    const problem = (value: Record<string, unknown>) => nothingKnown(value, knownFields(value));
    expect(problem({ Temperature: 5, Text: 'a' })).toBe(
      'message has only Temperature, Text; it takes Value, Properties, Metrics, States, Diagnostics. Numbers with names of their own belong in Metrics.',
    );
    for (const value of [{}, { Value: 5 }, { Value: 5, Later: 1 }]) expect(problem(value)).toBeUndefined();
  });
});

describe('isStorable', () => {
  it('refuses NUL and halves of surrogate pairs, not texts that merely look like them', () => {
    expect(isStorable(JSON.stringify({ a: '\u0000' }))).toBe(false);
    expect(isStorable(JSON.stringify({ a: '\ud800' }))).toBe(false);
    expect(isStorable(JSON.stringify({ a: '\\u0000', b: '\\ud800', c: '😀' }))).toBe(true);
  });
});
