import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillManualActions } from './manual-actions.ts';

const values = {
  workUnitId: 7,
  publicWorkUnitId: 1007,
  WorkUnitUrl: 'https://ops.example.com/x',
  AckUrl: 'https://ops.example.com/ack',
  title: '{title}',
  category: null,
};

it.each([
  ['[PROT-017] [PROT-018] {WORKUNITID} {publicworkunitid} {workUnitUrl}', '[PROT-017] [PROT-018] 7 1007 https://ops.example.com/x'],
  ['[WU-061] {ackUrl}', '[WU-061] https://ops.example.com/ack'],
  ['[WU-062] {Title}, {Category}.', '[WU-062] {title}, .'],
  ['{Nobody} {1} {} {{workUnitId}}', '{Nobody} {1} {} {7}'],
])('%s', (text, filled) => {
  expect(fillManualActions(text, values)).toBe(filled);
});

it('leaves a text without placeholders as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(fillManualActions(text.replaceAll('{', '('), values)).toBe(text.replaceAll('{', '('));
    }),
  );
});
