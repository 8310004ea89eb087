/** A packet and a rule mean the same metric when its name looks the same. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlow, send, type Flow } from '../rules/testing/flow.ts';
import type { Ingest } from './accept.ts';
import { normalMessage } from './normal-message.ts';

const normal = (message: object) => normalMessage(message, JSON.stringify(message));

describe('normalMessage', () => {
  it('composes names and texts, and takes blanks at the ends and control characters out of names', () => {
    const text = 'Gro\u0308\u00dfe';
    const message = {
      Value: text,
      Metrics: { [text]: 1, ' b ': 2, 'c\td': 3, 'e ': 4 },
      States: { [`${text}\u00a0`]: ` ${text} ` },
      Diagnostics: { [text]: [text] },
    };
    expect(normal(message)).toEqual({
      Value: 'Gr\u00f6\u00dfe',
      Metrics: { 'Gr\u00f6\u00dfe': 1, b: 2, 'c d': 3, e: 4 },
      States: { 'Gr\u00f6\u00dfe': ' Gr\u00f6\u00dfe ' },
      Diagnostics: { 'Gr\u00f6\u00dfe': [text] },
    });
  });

  it('refuses names that become the same, that nobody sees, or that no packet may have', () => {
    expect(normal({ Metrics: { 'o\u0308': 1, '\u00f6': 2 } })).toBe(
      'Metrics has the name "\u00f6" twice: names that look the same are the same.',
    );
    expect(normal({ States: { '\u200b': 1 } })).toBe('States has a name in which nothing can be seen: "\u200b".');
    expect(normal({ States: { ' constructor': 1 } })).toBe('A property of a packet must not be named __proto__ or constructor.');
  });

  it('returns a message itself that has nothing to change, and changes nothing twice', () => {
    const ascii = { Value: 5, Metrics: { 'a "b": c': 1 }, States: { x: 'Up and, " running":' } };
    expect(normal(ascii)).toBe(ascii);
    const names = fc.dictionary(fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'o', '\u0308', '\u200b', '"', ',', ':') }), fc.integer());
    fc.assert(
      fc.property(names, (Metrics) => {
        const once = normal({ Metrics });
        if (typeof once !== 'string') expect(normal(once)).toEqual(once);
      }),
    );
  });
});

describe('a packet', () => {
  let flow: Flow;
  let ingest: Ingest;
  beforeAll(async () => {
    flow = await createFlow();
    ingest = await flow.openIngest();
  });
  afterAll(() => flow.close());

  it('matches a rule about the metric however its name is composed', async () => {
    const device = await flow.device();
    await flow.rule({
      conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Gr\u00f6\u00dfe', Operator: 3, RightOperand: '90' }],
    });
    await expect.poll(() => ingest.rules.ingestion().size, { timeout: 30_000 }).toBeGreaterThan(0);
    const answers = await send(
      ingest,
      flow.ctx,
      { entityId: device, message: { Metrics: { 'Gro\u0308\u00dfe': 95 } } },
      { entityId: device, message: { Metrics: { '\u2060': 95 } } },
    );
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      ['stored', undefined],
      ['refused', 'InvalidMessage'],
    ]);
    expect(await flow.rows('select 1 from rule_match where subject_id = $1', device)).toHaveLength(1);
    expect(
      await flow.rows(`select 1 from latest_packet where entity_id = $1 and message -> 'Metrics' ? 'Gr\u00f6\u00dfe'`, device),
    ).toHaveLength(1);
  });
});
