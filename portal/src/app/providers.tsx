import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { ThemeProvider } from '@mui/material/styles';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { whenForbidden } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Confirmations } from '../components/confirm.tsx';
import { toast, Toasts } from '../components/toasts.tsx';
import { theme } from '../theme/theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
/** Styles made at run time carry the nonce that the server wrote into the page. */
const styles = createCache({ key: 'cf', prepend: true, ...(nonce && !nonce.startsWith('__') ? { nonce } : {}) });

/** ERR-016 and LIM-001. */
const forbiddenToastMs = 8_000;
whenForbidden(() => toast.error(en.failure.forbidden, { durationMs: forbiddenToastMs }));

export function Providers({ children }: { children: ReactNode }) {
  return (
    <CacheProvider value={styles}>
      <ThemeProvider theme={theme}>
        <QueryClientProvider client={queryClient}>
          {children}
          <Confirmations />
          <Toasts />
        </QueryClientProvider>
      </ThemeProvider>
    </CacheProvider>
  );
}
