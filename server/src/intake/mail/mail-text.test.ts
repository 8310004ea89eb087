import { expect, it } from 'vitest';
import { numberInSubject, shortened, textOfHtml, tidyText, titleOfSubject, withoutQuote, withoutSignature } from './mail-text.ts';

it('takes the prefixes of answers and the number of a unit from a subject', () => {
  for (const [subject, title] of [
    ['Re: Printer', 'Printer'],
    ['AW: WG: Re[2]: Drucker', 'Drucker'],
    ['FWD:Fw: Antwort: x y', 'x y'],
    ['Re: Printer is down [#1504]', 'Printer is down'],
    ['[#1504] Re: Printer', 'Printer'],
    ['Rest: of the day', 'Rest: of the day'],
    ['Re:', ''],
  ])
    expect(titleOfSubject(subject ?? '')).toBe(title);
  expect(numberInSubject('Re: x [#1504] y')).toBe(1504);
  for (const subject of ['#1504', '[1504]', '[#]', '[#12x]']) expect(numberInSubject(subject)).toBeUndefined();
});

it('cuts a quotation only where nothing of the answer can be in it', () => {
  const cut = (text: string) => withoutQuote(tidyText(text));
  expect(cut('Done.\r\n\r\nOn Mon, 23 Nov 2026, Support <s@x> wrote:\r\n> Is it?\r\n>\r\n> Yes\r\n')).toBe('Done.');
  expect(cut('Fertig.\n\nAm 23.11.2026 um 09:25 schrieb Support\n<support@ops.example>:\n> Wirklich?\n')).toBe('Fertig.');
  expect(cut('Yes\n\n-----Original Message-----\nFrom: a\nSent: b\n\nold')).toBe('Yes');
  expect(cut('Ja\n\n________________________________\nVon: A <a@x>\nGesendet: Montag\nAn: B\nBetreff: C\n\nalt')).toBe('Ja');
  // Answers between the lines, below them, and quotations without an author stay.
  for (const text of [
    'On Monday Ada wrote:\n> One?\nYes.\n> Two?\nNo.',
    '> One?\n\nYes, below.',
    'As I said:\n> it is broken',
    'From: here to there\nit is far',
    'See\n\n> first\n\nmine\n\nOn Monday 5 Ada <a@x> wrote:\n> again',
  ])
    expect(cut(text)).toBe(text);
  // Nothing but a quotation is shown whole.
  expect(cut('-----Original Message-----\nFrom: a\nSent: b')).toContain('Original Message');
});

it('cuts a signature at its delimiter alone', () => {
  expect(withoutSignature(tidyText('Hello\n-- \nAda\nTel. 1'))).toBe('Hello');
  expect(withoutSignature('Hello\n--\nAda')).toBe('Hello\n--\nAda');
  const long = `Hello\n-- \n${Array.from({ length: 20 }, (_, n) => n).join('\n')}`;
  expect(withoutSignature(long)).toBe(long);
});

it('makes text of HTML without running or loading anything', () => {
  const text = textOfHtml(
    '<style>p{}</style><p>One &amp; <b>two</b></p><script>alert(1)</script><img src="https://track.example/x.gif" alt="x"><a href="https://a.example">here</a><ul><li>x</li></ul>',
  );
  expect(text).toContain('One & two');
  expect(text).toContain('here <https://a.example>');
  expect(text).not.toMatch(/alert|track|p\{/);
  // A bomb of nested elements ends.
  const alarm = '<table><tr><th>Host</th><th>State</th></tr><tr><td>web-1</td><td><b>DOWN</b></td></tr></table>';
  expect(textOfHtml(`<p>Alarm</p>${alarm}<p>End</p>`)).toBe('Alarm\n\nHost State\nweb-1 DOWN\n\nEnd');
  expect(textOfHtml('<div>'.repeat(50_000) + 'deep').length).toBeLessThan(60_000);
});

it('says that a text is cut, and cuts no character in two', () => {
  expect(shortened('abc', 10, '[cut]')).toBe('abc');
  const text = shortened(`${'x'.repeat(11)}😀${'y'.repeat(100)}`, 20, '[cut]');
  expect(text).toBe(`${'x'.repeat(11)}\n\n[cut]`);
});
