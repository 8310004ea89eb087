/** Starts the portal: the session first, then the router inside its providers. */
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import '@fontsource-variable/inter';
import '../theme/tokens.css';
import '../theme/base.css';
import '../theme/forced-colors.css';
import '../theme/print.css';
import { untilAnswered } from '../api/connection.ts';
import { prefetchShell } from '../api/lookups.ts';
import { queryClient } from '../api/query-client.ts';
import { isSignedIn, startSession } from '../api/session.ts';
import { waitForServerBy } from '../components/load-code.ts';
import { Providers } from './providers.tsx';
import { router } from './router.tsx';

/** The longest wait of the first render for its data: one render with data takes less time than two renders. */
const firstPictureMs = 300;

waitForServerBy(untilAnswered);
void startSession();
const shellReady = isSignedIn() ? prefetchShell(queryClient) : undefined;
const screenReady = new Promise<void>((resolve) => {
  const look = (): void => {
    if (router.state.initialized) resolve();
  };
  router.subscribe(look);
  look();
});
const atMost = new Promise((resolve) => setTimeout(resolve, firstPictureMs));

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
// Not awaited at the top level: the screen's code may be in this chunk, which would then wait for itself.
void Promise.race([Promise.all([screenReady, shellReady]), atMost]).then(() => {
  // React renders a transition in slices and handles keys and clicks in between.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Providers>
          <RouterProvider router={router} />
        </Providers>
      </StrictMode>,
    ),
  );
});
