/** Starts a real server with its own data folder for one spec file, and signs people in. */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { expect, test, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from '@playwright/test';
import { programOf } from '../scripts/server/program.mjs';
import { serverProcess, type ProcessOptions, type ServerProcess } from '../server/src/testing/server-process.ts';

export const administrator = { userName: 'admin@localhost', password: 'correct horse battery staple' };

export interface World extends ServerProcess {
  /** Runs the command of `npm run admin` while the server runs. Returns the parsed `--json` output. */
  admin(args: readonly string[], input?: string): Record<string, unknown>;
}

/** Starts a server on an empty data folder. */
export async function startWorld(options: ProcessOptions = {}): Promise<World> {
  const server = await serverProcess(options);
  await server.start();
  return {
    ...server,
    admin: (args, input = '') => {
      const { file, compileCache } = programOf('server/src/admin/main.ts');
      const env = {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: compileCache,
        DATA_DIR: server.dataDir,
        PUBLIC_URL: server.url,
      };
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args, '--json'], { encoding: 'utf8', input, env });
      if (status !== 0) throw new Error(`npm run admin -- ${args.join(' ')}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
}

/** Call this once in a spec file: it prints the server's output after a failing test. */
export function showOutputOnFailure(world: () => World | undefined): void {
  // oxlint-disable-next-line no-empty-pattern -- the tool wants the fixtures destructured
  test.afterEach(({}, info) => {
    if (info.status !== info.expectedStatus) console.error(world()?.output().slice(-8_000));
  });
}

/** Opens the link that the server printed, and sets the password of the first administrator. Ends at the login screen. */
export async function setFirstPassword(page: Page, world: World): Promise<void> {
  await page.goto(world.link());
  await page.getByLabel('New password', { exact: true }).fill(administrator.password);
  await page.getByLabel('New password again').fill(administrator.password);
  await page.getByRole('button').click();
  await expect(page).toHaveURL(/\/user\/login/);
}

/** Signs in through the portal's login screen and the provider's page. Opens the login screen unless the page shows it. */
export async function signIn(page: Page, world: World, who: { userName: string; password: string } = administrator): Promise<void> {
  if (!page.url().includes('/user/login')) await page.goto(`${world.url}/user/login`);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByLabel('User name').fill(who.userName);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL((url) => !url.pathname.startsWith('/idp') && url.pathname !== '/user/callback');
}

/** The signed-in administrator of a new server. */
export interface Session {
  world: World;
  page: Page;
  /** The path of the tenant's home page. */
  home: string;
}

interface SessionOptions {
  server?: ProcessOptions;
  browser?: BrowserContextOptions;
}

/**
 * Call it once in a spec file. Before the tests it starts a server, signs the administrator in and hands both to `begin`;
 * after the tests it removes them.
 */
export function signInBeforeAll(begin: (session: Session) => void | Promise<void>, options: SessionOptions = {}): void {
  let world: World | undefined;
  let page: Page | undefined;
  showOutputOnFailure(() => world);
  test.beforeAll(async ({ browser }) => {
    world = await startWorld(options.server);
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options.browser })).newPage();
    await setFirstPassword(page, world);
    await signIn(page, world);
    await expect(page).toHaveURL(/\/[0-9a-f-]{36}$/);
    await begin({ world, page, home: new URL(page.url()).pathname });
  });
  test.afterAll(async () => {
    await page?.context().close();
    await world?.remove();
  });
}

/** Creates a token with every permission in the first tenant. */
export function administratorToken(world: World): string {
  const args = ['token', 'add', '--name', 'Tests', '--tenant', 'My organisation', '--scopes', 'agent,ingest', '--set', 'Administrator'];
  return String(world.admin(args)['token']);
}

/** Opens another browser context and signs the administrator in. */
export async function secondBrowser(browser: Browser, world: World): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, world);
  return { context, page };
}

/** Creates a person with a password and no permissions. */
export function addPerson(world: World, name: string): { userName: string; password: string } {
  const who = { userName: `${name.toLowerCase()}@example.com`, password: `${name} keeps a long password` };
  world.admin(['person', 'add', '--email', who.userName, '--name', name, '--password-stdin'], who.password);
  return who;
}

/** Keeps every core busy until the returned function is called, with what time other processes leave: flows run beside this one. */
export function makeBusy(): () => void {
  const workers = Array.from({ length: availableParallelism() + 1 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  for (const { pid } of workers) if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  return () => workers.forEach((worker) => worker.kill('SIGKILL'));
}
