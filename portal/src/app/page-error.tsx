import { useRouteError } from 'react-router';
import { useEffect } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/states.tsx';

/** Shown instead of a screen that threw an error. The shell around it stays usable. */
export function PageError() {
  const error = useRouteError();
  useEffect(() => console.error(error), [error]);
  return (
    <EmptyState icon="warning" title={en.failure.page} text={en.failure.pageText}>
      <Button look="primary" onClick={() => window.location.reload()}>
        {en.failure.reload}
      </Button>
    </EmptyState>
  );
}
