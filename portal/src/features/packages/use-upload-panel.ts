/** The upload panel in the address: `new`, or the package that gets a version. The panel below it stays open. */
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';

export const uploadParam = 'upload';

export function useUploadPanel() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const open = useCallback(
    (id: string) =>
      setAddress(
        (now) => {
          now.set(uploadParam, id);
          return undefined;
        },
        { now: true },
      ),
    [setAddress],
  );
  /** Closes the panel. With a package, opens its versions unless a package is already open. */
  const close = useCallback(
    (uploadedTo?: string | null) =>
      setAddress(
        (now) => {
          now.delete(uploadParam);
          if (uploadedTo && !now.has('id')) {
            now.set('id', uploadedTo);
            now.set('tab', 'versions');
          }
          return undefined;
        },
        { saved: uploadedTo !== undefined, now: true },
      ),
    [setAddress],
  );
  return { id: params.get(uploadParam), open, close };
}
