import { useParams } from 'react-router';
import { HomePage } from '../features/home/home-page.tsx';
import { LicenseBanner } from '../features/license/license-banner.tsx';
import { NoticesBanner } from '../features/notices/notices-banner.tsx';

export function HomeRoute() {
  const { tenantId = '' } = useParams();
  return (
    <HomePage
      banner={
        <>
          <LicenseBanner />
          <NoticesBanner tenantId={tenantId} />
        </>
      }
    />
  );
}
