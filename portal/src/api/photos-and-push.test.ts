import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as client from './client.ts';
import { usePhoto } from './photos.ts';
import { canPush, pushEndpoint, unsubscribeHere } from './push.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('fetches each photo once for all that show it, none without an address, and shows none that cannot be fetched', async () => {
  const fetched: string[] = [];
  vi.spyOn(client, 'request').mockImplementation((address) => {
    fetched.push(address);
    return address === '/photo/2' ? Promise.reject(new Error('No.')) : Promise.resolve(new Response('x'));
  });
  URL.createObjectURL = () => `blob:${fetched.length}`;
  const { result, rerender } = renderHook(({ address }) => usePhoto(address), {
    initialProps: { address: undefined as string | null | undefined },
  });
  rerender({ address: null });
  expect([result.current, fetched]).toEqual([undefined, []]);
  rerender({ address: '/photo/1' });
  expect(result.current).toBeUndefined();
  const other = renderHook(() => usePhoto('/photo/1'));
  await expect.poll(() => [result.current, other.result.current]).toEqual(['blob:1', 'blob:1']);
  rerender({ address: '/photo/2' });
  await expect.poll(() => fetched).toEqual(['/photo/1', '/photo/2']);
  rerender({ address: '/photo/1' });
  expect([result.current, fetched]).toEqual(['blob:1', ['/photo/1', '/photo/2']]);
});

const unsubscribe = vi.fn<() => Promise<boolean>>();
let subscription: { endpoint: string; unsubscribe: typeof unsubscribe } | null;
let registration: { pushManager: { getSubscription: () => Promise<typeof subscription> } } | undefined;

beforeEach(() => {
  unsubscribe.mockReset();
  subscription = { endpoint: 'https://push.example/1', unsubscribe };
  registration = { pushManager: { getSubscription: () => Promise.resolve(subscription) } };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistration: () => Promise.resolve(registration) },
  });
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', class {});
});

it('knows the push subscription of this browser, and ends it', async () => {
  expect([canPush(), await pushEndpoint()]).toEqual([true, 'https://push.example/1']);
  await unsubscribeHere();
  expect(unsubscribe).toHaveBeenCalledTimes(1);
  subscription = null;
  expect(await pushEndpoint()).toBeUndefined();
  await unsubscribeHere();
  registration = undefined;
  expect(await pushEndpoint()).toBeUndefined();
  await unsubscribeHere();
  expect(unsubscribe).toHaveBeenCalledTimes(1);
});

it.each(['serviceWorker', 'PushManager', 'Notification'])('asks for none in a browser without %s', async (missing) => {
  Reflect.deleteProperty(missing === 'serviceWorker' ? navigator : window, missing);
  expect([canPush(), await pushEndpoint()]).toEqual([false, undefined]);
  await unsubscribeHere();
  expect(unsubscribe).not.toHaveBeenCalled();
});
