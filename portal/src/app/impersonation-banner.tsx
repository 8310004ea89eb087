import { useEffect } from 'react';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { currentImpersonation, endImpersonation } from '../api/see-as.ts';
import { Button } from '../components/button.tsx';
import './impersonation-banner.css';

/** Names, on every screen, the person as whom an administrator sees the portal. Ends the impersonation when it expires. */
export function ImpersonationBanner() {
  const impersonation = currentImpersonation();
  const expires = impersonation && Date.parse(impersonation.expires);
  useEffect(() => {
    if (expires === undefined) return;
    const timer = setTimeout(endImpersonation, expires - Date.now());
    return () => clearTimeout(timer);
  }, [expires]);
  if (!impersonation) return null;
  return (
    <div className="impersonation-banner" role="status">
      {t.impersonation.banner(impersonation.name)}
      <Button small onClick={endImpersonation}>
        {t.impersonation.end}
      </Button>
    </div>
  );
}
