/**
 * `prometheus`: the text exposition format. The parsers on npm are unmaintained, and they group samples into families, which is
 * not needed here.
 */
import { addMetric, OutputError, seriesName, type OutputReading } from './reading.ts';

const sample = /^([a-z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/i;
const label = /([a-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/gi;
const escapes: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

export function readPrometheus(text: string): OutputReading {
  const reading: OutputReading & { metrics: Record<string, number> } = { metrics: {} };
  let samples = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', value = ''] = sample.exec(line) ?? [];
    if (name === undefined) throw new OutputError(`This line of the output is not a Prometheus sample: ${line.slice(0, 200)}`);
    samples++;
    const pairs = [...labels.matchAll(label)].map(
      ([, key = '', quoted = '']) => [key, quoted.replaceAll(/\\(.)/g, (_, char: string) => escapes[char] ?? char)] as const,
    );
    // `addMetric` ignores NaN and infinite values, which a packet cannot contain.
    addMetric(reading, seriesName(name, pairs), Number(value));
  }
  if (samples === 0) throw new OutputError('The output has no sample.');
  return reading;
}
