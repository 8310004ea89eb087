/** The portal's styles name sides by the direction of the text, so that a language that is written from right to left needs no others. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const physical =
  /^(?:(?:margin|padding|border)-(?:left|right)(?:-(?:color|width|style))?|border-(?:top|bottom)-(?:left|right)-radius|left|right)$/;
const aligning = /^(?:text-align|float|clear)$/;

/** Files whose sides are physical, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  'app/impersonation-banner.css': 'It is centred by half of the window and a transform, which has no logical form.',
  'components/chart/time-chart.css': 'uPlot draws time from left to right, and places its parts by physical offsets.',
};

const stylesheets = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.css'));

/** The declarations that name a physical side. */
const faultsIn = (text: string): string[] =>
  [...text.replaceAll(/\/\*[^]*?\*\//g, '').matchAll(/([\w-]+)\s*:\s*([^;{}]+);/g)].flatMap(([whole, name = '', value = '']) =>
    physical.test(name) || (aligning.test(name) && /^(?:left|right)\b/.test(value)) ? whole : [],
  );

it('finds a physical side', () => {
  const declarations = [
    'margin-left: 2px;',
    'right: 0;',
    'text-align: left;',
    'border-right: 0;',
    'border-top-left-radius: 2px;',
    'float: left;',
  ];
  expect(faultsIn(declarations.join('\n'))).toEqual(declarations);
  expect(
    faultsIn('margin-inline-start: 2px;\njustify-content: left;\nbackground-position: right 2px center;\ninset-inline: 0;\ntop: 0;'),
  ).toEqual([]);
});

it('names no physical side in a style', () => {
  const faults = stylesheets
    .filter((name) => !(name in exempt))
    .flatMap((name) => faultsIn(readFileSync(join(root, name), 'utf8')).map((line) => `${name}: ${line.trim()}`));
  expect(faults).toEqual([]);
});

it('exempts only files that have one', () => {
  expect(Object.keys(exempt).filter((name) => faultsIn(readFileSync(join(root, name), 'utf8')).length === 0)).toEqual([]);
});
