import { useEffect } from 'react';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { currentSight, endSight } from '../api/see-as.ts';
import { Button } from '../components/button.tsx';
import './sight-banner.css';

/** Names, on every screen, the person as whom an administrator sees the portal. Ends the sight when it expires. */
export function SightBanner() {
  const sight = currentSight();
  const expires = sight && Date.parse(sight.expires);
  useEffect(() => {
    if (expires === undefined) return;
    const timer = setTimeout(endSight, expires - Date.now());
    return () => clearTimeout(timer);
  }, [expires]);
  if (!sight) return null;
  return (
    <div className="sight-banner" role="status">
      {t.sight.banner(sight.name)}
      <Button small onClick={endSight}>
        {t.sight.end}
      </Button>
    </div>
  );
}
