import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';

export type OverlayName = 'settings' | 'license' | 'photo' | 'keys' | 'palette';

/** Overlays that the address names: links open them, and they survive a reload. */
const addressed: readonly string[] = ['settings', 'license', 'photo'] satisfies OverlayName[];
const param = 'show';

/** The overlay over the screen. The address holds settings, licence and photo; help and palette close with a reload. */
export function useOverlay() {
  const [params] = useSearchParams();
  const change = useAddress();
  const [passing, setPassing] = useState<OverlayName | null>(null);
  const inAddress = params.get(param);
  const name = passing ?? (inAddress !== null && addressed.includes(inAddress) ? (inAddress as OverlayName) : null);

  const show = useCallback(
    (next: OverlayName) => {
      if (!addressed.includes(next)) {
        setPassing(next);
        return;
      }
      setPassing(null);
      change(
        (all) => {
          all.set(param, next);
          return undefined;
        },
        { now: true },
      );
    },
    [change],
  );

  const close = useCallback(() => {
    if (passing) {
      setPassing(null);
      return;
    }
    change(
      (all) => {
        all.delete(param);
        return undefined;
      },
      { now: true },
    );
  }, [change, passing]);

  return { name, show, close };
}
