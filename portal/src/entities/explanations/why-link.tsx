import { Link } from 'react-router';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { useMay } from '../../api/lookups.ts';

/**
 * Links to the explanation of the value beside it; `of` names that value for screen readers. Renders nothing for people who may
 * not see rules.
 */
export function WhyLink({ to, of, button = false }: { to: string; of: string; button?: boolean }) {
  if (!useMay()('Rules', 'view')) return null;
  return (
    <Link className={button ? 'btn small' : 'why-link'} to={to} aria-label={t.linkOf(of)} title={t.linkOf(of)}>
      {t.link}
    </Link>
  );
}
