import { expect, it } from 'vitest';
import { readableOutput } from './readable-output.ts';

it('shows the lines of a value, and the rest of the result below', () => {
  const output = JSON.stringify({ value: 'line 1\n"line 2"', metrics: { ExitCode: 0 }, diagnostics: { errors: 'disk' } });
  expect(readableOutput(output)).toBe(
    'line 1\n"line 2"\n\n{\n  "metrics": {\n    "ExitCode": 0\n  },\n  "diagnostics": {\n    "errors": "disk"\n  }\n}',
  );
  expect(readableOutput('{"value":"ok"}')).toBe('ok');
});

it('indents a result whose value is no text', () => {
  expect(readableOutput('{"value":97}')).toBe('{\n  "value": 97\n}');
});

it.each(['DISK OK\n| /=97%', '{"value":"cut at the li', '[1,2]', '"text"', 'null', ''])('leaves other output as it is: %s', (output) => {
  expect(readableOutput(output)).toBe(output);
});
