import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { whenForbidden } from '../api/client.ts';
import { permissionsKey, permissionsQuery, seesOwnOnly } from '../api/lookups.ts';
import { queryClient } from '../api/query-client.ts';
import { Confirmations } from '../components/overlay/confirm.tsx';
import { toast, Toasts } from '../components/toasts.tsx';
import { ImpersonationBanner } from './impersonation-banner.tsx';

/** How long the toast about a 403 stays (ERR-016, LIM-001). */
const forbiddenToastMs = 8_000;
const sayForbidden = () => toast.error(en.failure.forbidden, { durationMs: forbiddenToastMs });
const isResolutionCenter = () => /\/resolutioncenter\/?$/i.test(window.location.pathname);
whenForbidden(() => {
  // Somebody who is redirected to the resolution center gets no toast about the first screen.
  void queryClient
    .ensureQueryData(permissionsQuery)
    .then((permissions) => (seesOwnOnly(permissions) && !isResolutionCenter() ? undefined : sayForbidden()), sayForbidden);
  // The permissions may have changed since they were loaded: menu and screen update.
  void queryClient.invalidateQueries({ queryKey: permissionsKey });
});

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      {children}
      <Confirmations />
      <Toasts />
      <ImpersonationBanner />
    </QueryClientProvider>
  );
}
