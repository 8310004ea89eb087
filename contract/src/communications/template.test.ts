import { expect, it } from 'vitest';
import { fillTemplate, unknownPlaceholders } from './template.ts';

const facts = {
  title: 'Mail {Reference} is down',
  publicWorkUnitCommunicationId: 1001,
  impactedServices: 'Mail\n Orders \n',
  currentImpact: ' ',
  eventStarted: '2026-05-01T08:00:00.000Z',
  nextUpdate: null,
};

it('puts in what the communication knows, once, and leaves what it does not', () => {
  expect(fillTemplate('{Title} ({Reference}), {Services} since {Started}: {CurrentImpact} {NextUpdate} {Other}', facts)).toBe(
    'Mail {Reference} is down (WUCOMM #1001), Mail, Orders since 1/May/2026 08:00 UTC: {CurrentImpact} {NextUpdate} {Other}',
  );
});

it('names what is no placeholder', () => {
  expect(unknownPlaceholders('{Title} {title} {} {Other} {Other}')).toEqual(['title', '', 'Other']);
  expect(unknownPlaceholders('{Title} {NextUpdate} none')).toEqual([]);
});
