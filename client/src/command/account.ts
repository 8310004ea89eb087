/** `cloudfit login`, `logout`, `whoami` and `tenants`. */
import { currentUser, signOut } from '@cloudfit/contract/calls.ts';
import { CallFailed } from '../send.ts';
import { signInByDevice } from '../sign-in.ts';
import { UsageError, type CommandPart } from './command.ts';

const login: CommandPart = {
  name: 'login',
  usage: 'SERVER',
  about: 'Sign in by a code that you confirm in a browser. SERVER is the address of the portal.',
  run: async ({ words: [server], store, print, surroundings }) => {
    const address = server ?? (await store.read())?.server;
    if (address === undefined) throw new UsageError('Name the server: cloudfit login https://ops.example.com');
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) throw new UsageError(`${address} is no http address.`);
    const stored = await signInByDevice({
      server: address,
      fetch: surroundings.fetch,
      signal: surroundings.signal,
      tell: ({ address: page, code, seconds }) =>
        print.note(`Open ${page} in a browser and enter the code ${code} within ${Math.round(seconds / 60)} minutes.`),
    });
    await store.write(stored);
    print.note(`You are signed in to ${new URL(address).host}.`);
  },
};

const logout: CommandPart = {
  name: 'logout',
  about: 'End the sign-in of this command, and forget it.',
  run: async ({ store, client, print }) => {
    if ((await store.read()) === undefined) return print.note('You were not signed in.');
    // What cannot be ended there, as it is over or the server away, is forgotten here all the same.
    const api = await client();
    await api.call(signOut, {}).catch((error: unknown) => {
      if (error instanceof CallFailed && error.status !== 401) print.note(`The server does not know of it yet: ${error.message}`);
    });
    await store.remove();
    print.note('You are signed out.');
  },
};

const whoami: CommandPart = {
  name: 'whoami',
  about: 'Who the server takes you for.',
  run: async ({ client, print }) => {
    const api = await client();
    const user = await api.call(currentUser, {});
    print.value(user, [`${user.name} (${user.userName})`]);
  },
};

const tenants: CommandPart = {
  name: 'tenants',
  about: 'The tenants that you may see.',
  run: async ({ client, print }) => {
    const api = await client();
    const rows = [];
    for await (const tenant of api.rows('tenants', { orderBy: 'name asc', select: ['tenantId', 'name', 'enabled'] })) rows.push(tenant);
    print.rows(
      rows,
      { name: (row) => row.name, enabled: (row) => row.enabled, id: (row) => row.tenantId },
      'There are no tenants that you may see.',
    );
  },
};

export const accountParts: readonly CommandPart[] = [login, logout, whoami, tenants];
