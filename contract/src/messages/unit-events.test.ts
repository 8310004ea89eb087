import { expect, it } from 'vitest';
import { eventText as english } from './unit-events.en.ts';
import { eventText as german } from './unit-events.de.ts';

it('says in German what the server has written in English', () => {
  const inGerman = (detail: string) => {
    expect(english(detail)).toBe(detail);
    return german(detail);
  };
  expect(inGerman('Service level Gold: 75 % of the 15 min to the first answer have passed.')).toBe(
    'Servicelevel Gold: 75 % der 15 min bis zur ersten Antwort sind vorbei.',
  );
  expect(inGerman('Opened by the rule Disk is full. It still matches after its work unit has ended.')).toBe(
    'Durch die Regel Disk is full eröffnet. Sie trifft weiter zu, obwohl ihr Vorgang beendet ist.',
  );
  expect(inGerman('Cora Test asks to be called back at +47 1.')).toBe('Cora Test bittet um einen Rückruf unter +47 1.');
  expect(inGerman('The match of the rule Disk is full has ended.')).toBe('Der Treffer der Regel Disk is full ist beendet.');
  expect(inGerman('The time of the call back is over: nobody has taken it. Jo and Al are told.')).toBe(
    'Die Zeit für den Rückruf ist vorbei: Niemand hat ihn übernommen. Benachrichtigt: Jo and Al.',
  );
  expect(
    inGerman('The time of the call back is over: Jo has taken it and not closed it. Nobody who is on call for it could be told.'),
  ).toBe(
    'Die Zeit für den Rückruf ist vorbei: Jo hat ihn übernommen und nicht abgeschlossen. Von denen, die dafür Bereitschaft haben, konnte niemand benachrichtigt werden.',
  );
  expect(inGerman('State changed from New to Acknowledged.')).toBe('Zustand: Neu → Bestätigt.');
  expect(inGerman('State changed to Acknowledged.')).toBe('Zustand: → Bestätigt.');
  expect(inGerman('Severity changed from Sev2 to Sev3. State changed from Acknowledged to InProgress.')).toBe(
    'Schweregrad: Sev2 → Sev3. Zustand: Bestätigt → In Arbeit.',
  );
});

it('leaves what a person has written', () => {
  for (const note of ['The state changed from New to Old.', 'Look: State changed from New to Acknowledged. Why?', 'Opened by the rules'])
    expect(german(note)).toBe(note);
});
