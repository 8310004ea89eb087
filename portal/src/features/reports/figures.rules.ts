/** How the portal writes the figures of a report to the viewer. */
import { reportTexts as texts } from '@cloudfit/contract/messages/reports.en.ts';
import type { FigureName, FigureWriter } from '@cloudfit/contract/reports/figures.ts';
import { durationText, numberText } from '../../components/chart/number-text.ts';

export const figureNames = Object.keys(texts.figures) as FigureName[];

export const writerFor = (personName: (userName: string) => string): FigureWriter => ({
  texts,
  number: (value) => numberText(value),
  duration: durationText,
  personName,
});
