/** What is not understood costs itself alone and is said: cases of the field, and random outputs of which it is known what is true. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { readOutput } from './read-output.ts';

type Format = Parameters<typeof readOutput>[0];
const read = (output: Format, text: string) => readOutput(output, text, 0, false);

describe('prometheus', () => {
  it('takes no number from an exemplar, and reads what stands before it', () => {
    const text = [
      '# TYPE foo histogram',
      'foo_bucket{le="0.01"} 1 # {trace_id="KOO5S4vxi0o"} 0.006',
      'foo_bucket{le="+Inf"} 4 # {trace_id="a # b"} 2.5 1520879607.789',
      'foo_total 17.0 1520879607.789 # {span_id="x"} 1.0 1.5',
      'foo_created 1520430000.123',
      '# EOF',
    ].join('\n');
    expect(read('prometheus', text)).toEqual({
      value: 1,
      metrics: { 'foo_bucket{le="0.01"}': 1, 'foo_bucket{le="+Inf"}': 4, foo_total: 17, foo_created: 1_520_430_000.123 },
    });
  });

  it('reads names and labels in quotes, info, state sets, gauge histograms and spaces', () => {
    const text = String.raw`{"http.requests", method="GET", "my.label"="größe"} 7
{"plain"} 1
{"a{b=\"c\"}"} 3
build_info{version="1.2"} 1
feature{feature="a",} 1
queue_gsum 5
queue_gcount -2 123
spaced { a = "1" , b="2" }   4
path{dir="C:\dir\new",quote="\""} 5`;
    expect(read('prometheus', text).metrics).toEqual({
      'http.requests{method="GET","my.label"="größe"}': 7,
      plain: 1,
      '"a{b=\\"c\\"}"': 3,
      'build_info{version="1.2"}': 1,
      'feature{feature="a"}': 1,
      queue_gsum: 5,
      queue_gcount: -2,
      'spaced{a="1",b="2"}': 4,
      [`path{dir=${JSON.stringify('C:\\dir\new')},quote="\\""}`]: 5,
    });
  });

  it('says which lines are none, and reads the others', () => {
    const strange = [
      'up 1 2 3',
      'up 0x1F',
      'up{a="1",a="2"} 3',
      'up{a="1" b="2"} 3',
      'up{a="1} 3',
      'a b 1',
      'up 1 # {x="1"}',
      '{a="1"} 3',
      'a{"b"} 3',
      'up 1,5',
      'up 1 1620000000.5s',
    ];
    const reading = read('prometheus', ['first 1', ...strange, 'last 2'].join('\n'));
    expect(reading).toEqual({
      value: 1,
      metrics: { first: 1, last: 2 },
      message: '11 lines were not understood: up 1 2 3',
      diagnostics: { NotUnderstood: strange },
    });
  });

  it('has no value if the first sample is not a number', () => {
    expect(read('prometheus', 'a NaN\nb 2\nc +Inf\nd -inf')).toEqual({ value: null, metrics: { b: 2 } });
  });
});

describe('nagios', () => {
  const data = (text: string) => read('nagios', `OK | ${text}`);

  it('refuses a label with blanks and no quotes together with its value', () => {
    expect(data(String.raw`c:\ Used Space=75 d:\ Used Space=21`)).toMatchObject({
      value: null,
      metrics: {},
      message: String.raw`OK (2 parts of the performance data were not understood: c:\ Used Space=75)`,
      diagnostics: { NotUnderstood: [String.raw`c:\ Used Space=75`, String.raw`d:\ Used Space=21`] },
    });
  });

  it.each([
    ['offset=+0.000123s;60;120', { offset: 0.000123 }],
    ['n=1,234,567', { n: 1_234_567 }],
    ['n=1,234.5', { n: 1_234.5 }],
    ['pct=12,5%', { pct: 12.5 }],
    ['pct=0,125%', { pct: 0.125 }],
    ["'it''s a=b | c'=1e-3s", { "it's a=b | c": 0.001 }],
    ['a=.5 b=5. c=-1', { a: 0.5, b: 5, c: -1 }],
    ['a=U b=1', { b: 1 }],
    ['a=1;@10:20;~:5;0;100', { a: 1 }],
    ['text | load=1', { load: 1 }],
    ['a=1MB 5 files | b=2;3 4', { a: 1, b: 2 }],
  ])('reads %s', (text, metrics) => {
    expect(data(text).metrics).toEqual(metrics);
  });

  it.each([
    'flags=0x1F',
    'day=2026-11-28',
    'version=1.2.3',
    'n=1,234',
    'n=1.234,5',
    'a=1e400',
    'a = 5',
    "'a=1 b=2",
    'a=1;2 =3',
    'a=nan',
    'time=12:30',
    "a='5'",
    'a=1;b=2',
    'disk used=5',
    'flags=0xFF',
    'n=1 234 567',
    'n=1 234 m=5',
    'n=1\u00a0234',
    'n=1\u202f234',
    'n=1\f',
    'n=１２',
    'n=1２',
  ])('says that %s is not understood', (text) => {
    const { metrics, diagnostics, value } = data(text);
    expect({ metrics: Object.keys(metrics ?? {}).filter((name) => name !== 'a'), said: diagnostics?.['NotUnderstood'] }).toEqual({
      metrics: [],
      said: [expect.any(String), ...Array(Number(text === 'a = 5')).fill('5')],
    });
    expect(value === null || text === 'a=1;2 =3').toBe(true);
  });
});

it('takes the last of several numbers of a metric, also as the Value', () => {
  expect(read('nagios', 'OK | a=1 b=5 a=2')).toMatchObject({ value: 2, metrics: { a: 2, b: 5 } });
  expect(read('prometheus', 'a NaN\nb 2\nb 3')).toEqual({ value: null, metrics: { b: 3 } });
});

it('reads outputs that begin with the mark of UTF-8', () => {
  expect(read('json', '\ufeff{"value": 1}\n\ufeff{"metrics": {"A": 2}}')).toEqual({ value: 1, metrics: { A: 2 } });
  expect(read('nagios', '\ufeffOK | a=1')).toMatchObject({ message: 'OK', metrics: { a: 1 } });
});

describe('influx', () => {
  it('reads marks that have no meaning where they stand, and a text over several lines', () => {
    const text =
      String.raw`disk,size=3.5",path=C:\dir used=1,note="a ""`.slice(0, -1) + '\nmem used=2i,text="one\ntwo, x=3" 17\nlast v=3\r\n';
    expect(read('influx', text)).toEqual({
      value: 1,
      metrics: { [`disk_used{size="3.5\\"",path="C:\\\\dir"}`]: 1, mem_used: 2, last_v: 3 },
      states: { [`disk_note{size="3.5\\"",path="C:\\\\dir"}`]: 'a ', mem_text: 'one\ntwo, x=3' },
    });
  });

  it('says which lines are none, and reads the others', () => {
    const strange = ['a b=1 c=2', 'a,b c=1', 'a b=1x', 'a b=1e999', 'a b="open', 'a b=tRue', 'a b=1,', 'Starting up ...', 'a b=1 12.5'];
    expect(read('influx', ['first v=1', ...strange, 'last v=2'].join('\n'))).toMatchObject({
      metrics: { first_v: 1, last_v: 2 },
      diagnostics: { NotUnderstood: strange },
    });
  });
});

describe('json', () => {
  it('reads a report over several lines, and says which lines are none', () => {
    expect(read('json', JSON.stringify({ value: 1, metrics: { A: 2 }, diagnostics: { list: [{ value: 3 }] } }, null, 2))).toMatchObject({
      value: 1,
      metrics: { A: 2 },
    });
    expect(read('json', '{"value": 1}\n{"metrics": {"A": "high"}}\n{"metrics": {"B": 2')).toMatchObject({
      value: 1,
      message: expect.stringMatching(/^2 lines were not understood: .*metrics\.A of the output is wrong/),
    });
    expect(read('json', '{"value": 1}').metrics).toBeUndefined();
  });

  it('takes the status Unknown, and no other', () => {
    expect(read('json', '{"status": "Unknown", "states": {"Reachable": "Unknown"}}')).toMatchObject({ status: 'Unknown' });
    expect(() => read('json', '{"status": "Success"}')).toThrow(/status of the output is wrong/);
  });
});

/** A line of an output, and what is true about it: the values that it holds, or that it holds none. */
interface Truth {
  line: string;
  metrics: Record<string, number>;
}
const numRuns = runs(1_000, 10_000);
const letters = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.integer({ min: 0, max: 100 }),
);
const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\0]/g, ' ').trim());
const truthOf = (line: string, metrics: Record<string, number>): Truth => ({ line, metrics });
const isZero = (value: number) => (Object.is(value, -0) ? 0 : value);

function holds(output: Format, truths: Truth[], textOf: (lines: string[]) => string): void {
  const truth: Record<string, number> = {};
  for (const { metrics } of truths) for (const [name, value] of Object.entries(metrics)) truth[name] = isZero(value);
  let metrics: Record<string, number> = {};
  try {
    metrics = read(output, textOf(truths.map(({ line }) => line))).metrics ?? {};
  } catch (error) {
    // An output of which nothing is understood is refused as a whole.
    if (Object.keys(truth).length > 0) throw error;
  }
  expect(Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, isZero(value)]))).toEqual(truth);
}

describe('10,000 random outputs hold what is true, and nothing else', () => {
  it('prometheus', () => {
    const label = fc.tuple(letters, anyText);
    const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
    const labels = fc.uniqueArray(label, { maxLength: 3, selector: ([key]) => key });
    const sample = fc
      .record({
        name: fc.oneof(
          letters,
          letters.map((name) => `${name}.größe`),
        ),
        labels,
        value: anyNumber,
        after: fc.constantFrom('', ' 1700000000', ' 1700000000.5', ' # {trace_id="}x 1"} 3', ' 17.5 # {a="b",c="d"} 4 5.5'),
      })
      .map(({ name, labels: pairs, value, after }) => {
        const inner = pairs.map(([key, text]) => `${key}=${quote(text)}`);
        const isPlain = /^\w+$/.test(name);
        const braces = isPlain ? (inner.length > 0 ? `{${inner.join(',')}}` : '') : `{${[quote(name), ...inner].join(', ')}}`;
        const full = pairs.length === 0 ? name : `${name}{${pairs.map(([key, text]) => `${key}=${JSON.stringify(text)}`).join(',')}}`;
        return truthOf(`${isPlain ? name : ''}${braces} ${value}${after}`, { [full]: value });
      });
    const broken = fc
      .tuple(letters, anyNumber, fc.constantFrom('x', ' 1 2', '{a="1"}', ' # 5', '{a="b} ', ',5', '%', ' #', '" '))
      .map(([name, value, tail]) => truthOf(`${name} ${value}${tail}`, {}));
    const prose = fc
      .constantFrom('# HELP a b 1', '', 'Traceback (most recent call last):', '<html>', '# EOF')
      .map((line) => truthOf(line, {}));
    fc.assert(
      fc.property(fc.array(fc.oneof(sample, broken, prose), { maxLength: 6 }), (all) =>
        holds('prometheus', all, (lines) => lines.join('\n')),
      ),
      { numRuns },
    );
  });

  it('nagios', () => {
    const unit = fc.constantFrom('', 's', 'ms', '%', 'B', 'KB', 'c');
    const after = fc.constantFrom('', ';1;2', ';@1:2;~:3;0;100', ';;;0');
    const quoted = anyText.filter((text) => text !== '');
    const datum = fc
      .tuple(
        fc.oneof(
          letters.map((name) => ({ name, text: name })),
          quoted.map((name) => ({ name, text: `'${name.replaceAll("'", "''")}'` })),
        ),
        anyNumber,
        unit,
        after,
      )
      .map(([{ name, text }, value, measured, thresholds]) => truthOf(`${text}=${value}${measured}${thresholds}`, { [name]: value }));
    const broken = fc
      .tuple(
        letters,
        fc.integer({ min: 0, max: 9_999 }),
        fc.constantFrom<(name: string, value: number) => string>(
          (name, value) => `${name} used=${value}`,
          (name, value) => `${name}=0x${value}`,
          (name, value) => `${name}=${value}-11-28`,
          (name, value) => `${name}=1.${value}.3`,
          (name, value) => `${name} = ${value} |`,
          (name, value) => `${name}=v${value}`,
          (name) => `${name}=U`,
          (name, value) => `=${value} ${name}=`,
          (name, value) => `${name}=1 ${String(value).padStart(3, '0')} |`,
          (name, value) => `${name}=1\u00a0${value}`,
          (name, value) => `\v${name} \u2009 ${value} |`,
        ),
      )
      .map(([name, value, make]) => truthOf(make(name, value), {}));
    fc.assert(
      fc.property(fc.array(fc.oneof(datum, broken), { maxLength: 6 }), (all) =>
        holds('nagios', all, (lines) => `OK - all is well | ${lines.join(' ')}`),
      ),
      { numRuns },
    );
  });

  it('influx', () => {
    const escape = (text: string) => text.replaceAll(/[,= ]/g, (char) => `\\${char}`);
    const plain = anyText.map((text) => text.replaceAll(/[\\#\t\u0085\u2028\u2029]/g, '')).filter((text) => text.trim() !== '');
    const point = fc
      .record({
        name: letters,
        tags: fc.uniqueArray(fc.tuple(letters, plain), { maxLength: 2, selector: ([key]) => key }),
        field: plain,
        value: anyNumber,
        text: anyText,
      })
      .map(({ name, tags, field, value, text }) => {
        const series = `${name}${tags.map(([key, tag]) => `,${key}=${escape(tag)}`).join('')}`;
        const labels = tags.length === 0 ? '' : `{${tags.map(([key, tag]) => `${key}=${JSON.stringify(tag)}`).join(',')}}`;
        const string = `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
        return truthOf(`${series} ${escape(field)}=${value},zz_text=${string} 1700000000`, { [`${name}_${field}${labels}`]: value });
      });
    const broken = fc
      .tuple(letters, anyNumber, fc.constantFrom('x', ',', ' a=1', '%', ' 1.5', '"', '=2', ' 1 2'))
      .map(([name, value, tail]) => truthOf(`${name} v=${value}${tail}`, {}));
    const prose = fc.constantFrom('# a v=1', '', 'Collecting ...', '<html>').map((line) => truthOf(line, {}));
    fc.assert(
      fc.property(fc.array(fc.oneof(point, broken, prose), { maxLength: 6 }), (all) => holds('influx', all, (lines) => lines.join('\n'))),
      { numRuns },
    );
  });

  it('json', () => {
    const report = fc
      .tuple(fc.dictionary(letters, anyNumber, { maxKeys: 3 }), anyText)
      .map(([metrics, message]) => truthOf(JSON.stringify({ metrics, message }), metrics));
    const broken = fc
      .tuple(letters, anyNumber, fc.constantFrom('', '}', '}}}', '"}}', ',}}'))
      .map(([name, value, tail]) => truthOf(`{"metrics":{"${name}":${value}${tail}`, {}));
    const wrong = fc.tuple(letters, anyText).map(([name, text]) => truthOf(JSON.stringify({ metrics: { [name]: text } }), {}));
    const prose = anyText.map((text) => truthOf(`> ${text}`, {}));
    fc.assert(
      fc.property(fc.array(fc.oneof(report, broken, wrong, prose), { maxLength: 6 }), (all) =>
        holds('json', all, (lines) => lines.join('\n')),
      ),
      { numRuns },
    );
  });
});
