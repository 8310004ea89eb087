/**
 * Photos of people as addresses of images. Each photo is fetched once, because its address depends on its content, and only if
 * it exists.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { request } from './client.ts';

/** Images by the address of the photo. Null: the image has not arrived yet, or could not be fetched. */
const images = new Map<string, string | null>();
const listeners = new Set<() => void>();

async function load(address: string): Promise<void> {
  if (images.has(address)) return;
  images.set(address, null);
  try {
    images.set(address, URL.createObjectURL(await (await request(address, { quiet: true, accept: 'image/*' })).blob()));
  } catch {
    // The initials stay visible.
    return;
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The image of the photo at this address of the API; undefined without an address, and until the photo has loaded. */
export function usePhoto(address: string | null | undefined): string | undefined {
  const image = useSyncExternalStore(subscribe, () => (address ? images.get(address) : null));
  useEffect(() => {
    if (address) void load(address);
  }, [address]);
  return image ?? undefined;
}
