import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { EmptyState } from '../components/states.tsx';
import { usePageTitle } from '../components/page-title.ts';

export function NotFoundPage() {
  usePageTitle(en.shell.notFound);
  return (
    <EmptyState icon="search" title={en.shell.notFound} text={en.shell.notFoundText}>
      <Link className="btn primary" to="/">
        {en.shell.goHome}
      </Link>
    </EmptyState>
  );
}
