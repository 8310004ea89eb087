import { useParams } from 'react-router';
import { HomePage } from '../features/home/home-page.tsx';
import { LicenseBanner } from '../features/license/license-banner.tsx';
import { DoNow } from '../features/work-units/do-now/do-now.tsx';
import { UnitPane } from '../features/work-units/do-now/unit-pane.tsx';
import { NoticesBanner } from '../features/notices/notices-banner.tsx';

export function HomeRoute() {
  const { tenantId = '' } = useParams();
  return (
    <>
      <HomePage doNow={<DoNow />} banner={<LicenseBanner />} notices={<NoticesBanner tenantId={tenantId} />} />
      <UnitPane />
    </>
  );
}
