import { useEnvironment } from '../../api/lookups.ts';
import { Icon } from '../../components/icon.tsx';
import { licenseBanner } from './license.rules.ts';
import './license.css';

/** Shown on the home page when the licence needs attention. */
export function LicenseBanner() {
  const { data } = useEnvironment();
  const banner = licenseBanner(data?.licenseExpiration, Date.now());
  return banner ? (
    <div className={`license-banner ${banner.severity}`} role={banner.severity === 'error' ? 'alert' : 'status'}>
      <Icon name="warning" />
      {banner.text}
    </div>
  ) : null;
}
