import '../testing/browser.ts';
import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { usePageTitle, useTabTitle } from './page-title.ts';

function Panel() {
  useTabTitle('Edit Work Unit #1007: Pump');
  return null;
}

function Page({ isOpen }: { isOpen: boolean }) {
  usePageTitle('Work Units');
  return isOpen && <Panel />;
}

it('names what is open in the page, also when both appear at once, and the page afterwards', () => {
  const { rerender } = render(<Page isOpen />);
  expect(document.title).toMatch(/^Edit Work Unit #1007: Pump - /);
  rerender(<Page isOpen={false} />);
  expect(document.title).toMatch(/^Work Units - /);
});
