import { expect, it } from 'vitest';
import { lowestFree } from './toast-place.ts';

const box = (top: number, bottom: number, left = 0, right = 390) => ({ left, right, top, bottom });
/** A toast of 46 px at the bottom of a phone. */
const toasts = box(782, 828, 16, 374);

it('stays at the floor where nothing is', () => {
  expect(lowestFree(toasts, [box(0, 700), box(780, 840, 380, 390)], 828)).toBe(828);
});
it('shows above the buttons of a panel, and above the box for a note where the space between both is too low', () => {
  expect(lowestFree(toasts, [box(790, 844)], 828)).toBe(782);
  expect(lowestFree(toasts, [box(790, 844), box(740, 780)], 828)).toBe(732);
  expect(lowestFree(toasts, [box(790, 844), box(600, 720)], 828)).toBe(782);
});
it('stays at the floor where there is no room', () => {
  expect(lowestFree(toasts, [box(20, 844)], 828)).toBe(828);
});
