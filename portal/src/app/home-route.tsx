import { HomePage } from '../features/home/home-page.tsx';
import { LicenseBanner } from '../features/license/license-banner.tsx';

export function HomeRoute() {
  return <HomePage banner={<LicenseBanner />} />;
}
