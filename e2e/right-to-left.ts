/** Main screens from right to left, as a language such as Arabic would show them: nothing overflows, and both sides change places. */
import { expect, test, type Page } from '@playwright/test';
import type { Places } from './screen-world.ts';
import { screens } from './screens.ts';
import { visit } from './visit.ts';
import type { World } from './world.ts';

interface Visitor {
  world: World;
  page: Page;
  places: Places;
}

const turned = ['home', 'work-units', 'work-unit', 'devices', 'rules'];

/** Defines its tests in a spec file that has the screens. */
export function checkRightToLeft(visitor: () => Visitor): void {
  /** Visits a screen and sets the direction, for which the portal has no switch as long as it has no such language. */
  async function turn(name: string, width: number): Promise<void> {
    const screen = screens.find((item) => item.name === name);
    if (!screen) throw new Error(`There is no screen ${name}.`);
    const { world, page, places } = visitor();
    await page.setViewportSize({ width, height: 900 });
    await visit(page, world.url, places, screen);
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
  }

  const overflow = () => visitor().page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const boxOf = async (selector: string) => {
    const box = await visitor().page.locator(selector).first().boundingBox();
    if (!box) throw new Error(`${selector} is not shown.`);
    return box;
  };

  for (const name of turned)
    test(`${name} from right to left is as wide as the window`, async () => {
      for (const width of [1440, 390]) {
        await turn(name, width);
        expect(await overflow()).toBeLessThanOrEqual(0);
      }
    });

  test('from right to left the menu is on the right, and a panel on the left', async () => {
    await turn('work-unit', 1440);
    const menu = await boxOf('.drawer');
    expect(Math.round(menu.x + menu.width)).toBe(1440);
    const panel = await boxOf('.side-panel');
    // It may still slide in.
    await expect.poll(async () => Math.round((await boxOf('.side-panel')).x)).toBe(0);
    expect(panel.width).toBeLessThan(1440);
    expect(
      await visitor()
        .page.locator('.table th')
        .nth(1)
        .evaluate((cell) => getComputedStyle(cell).textAlign),
    ).toBe('start');
  });
}
