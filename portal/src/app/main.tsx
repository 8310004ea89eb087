/** Starts the portal: session first, then the router in its providers. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import '@fontsource-variable/inter';
import '../theme/tokens.css';
import '../theme/base.css';
import { startSession } from '../api/session.ts';
import { Providers } from './providers.tsx';
import { router } from './router.tsx';

void startSession();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');
createRoot(root).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
