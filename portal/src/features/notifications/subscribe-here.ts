/** Subscribes this browser to push messages: permission, service worker, subscription. */
import { subscribeBrowser } from '@cloudfit/contract/calls.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { call } from '../../api/call.ts';
import { workerPath } from '../../api/push.ts';

/** The name by which people recognize a browser in a list. */
export function browserName(agent: string): string {
  const browsers: readonly (readonly [RegExp, string])[] = [
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ];
  const systems: readonly (readonly [RegExp, string])[] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Windows/, 'Windows'],
    [/Mac OS/, 'macOS'],
    [/Linux/, 'Linux'],
  ];
  const find = (of: typeof browsers): string | undefined => of.find(([pattern]) => pattern.test(agent))?.[1];
  return `${find(browsers) ?? 'A browser'} on ${find(systems) ?? 'another system'}`;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (item) => item.codePointAt(0) ?? 0);
}

/**
 * Asks the browser for permission, which is possible only after a click, and subscribes. Returns `refused` when the person or
 * the browser refuses.
 */
export async function subscribeHere(pushKey: string): Promise<'added' | 'refused'> {
  if ((await Notification.requestPermission()) !== 'granted') return 'refused';
  const registration = await navigator.serviceWorker.register(workerPath);
  await navigator.serviceWorker.ready;
  // A subscription that was made with another key is useless.
  const before = await registration.pushManager.getSubscription();
  const isSame = before?.options.applicationServerKey && toBase64url(before.options.applicationServerKey) === pushKey;
  if (before && !isSame) await before.unsubscribe();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(pushKey) });
  // A subscription with `userVisibleOnly` has both; the server refuses one without.
  const { endpoint, keys } = subscription.toJSON() as Pick<CallInput<typeof subscribeBrowser>, 'endpoint' | 'keys'>;
  await call(subscribeBrowser, { endpoint, keys, browser: browserName(navigator.userAgent) });
  return 'added';
}

function toBase64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCodePoint(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
