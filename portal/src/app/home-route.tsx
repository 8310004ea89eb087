import { useParams } from 'react-router';
import { HomePage } from '../features/home/home-page.tsx';
import { LicenseBanner } from '../features/license/license-banner.tsx';
import { KeptMailBanner } from '../features/outbox/kept-mail-banner.tsx';

export function HomeRoute() {
  const { tenantId = '' } = useParams();
  return (
    <HomePage
      banner={
        <>
          <LicenseBanner />
          <KeptMailBanner tenantId={tenantId} />
        </>
      }
    />
  );
}
