import { agreement } from '@cloudfit/contract/messages/agreement.en.ts';
import { license } from '@cloudfit/contract/messages/license.en.ts';
import { useEnvironment } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { exactTime } from '../../theme/times.ts';
import { daysLeft, isExpired, licenseBanner } from './license.rules.ts';
import './license.css';

function Expiration() {
  const { data } = useEnvironment();
  const expiration = data?.licenseExpiration;
  if (!expiration) return <p className="muted">{license.expirationLoading}</p>;
  const now = Date.now();
  const severity = licenseBanner(expiration, now)?.severity;
  return (
    <p className="row">
      <span>{license.expires(exactTime(expiration))}</span>
      <Chip tone={severity === 'error' ? 'danger' : severity === 'warning' ? 'warn' : 'ok'}>
        {isExpired(expiration, now) ? license.expiredShort : license.daysLeft(daysLeft(expiration, now))}
      </Chip>
    </p>
  );
}

export function LicenseDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title={license.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{license.cancel}</Button>
          <Button look="primary" onClick={onClose}>
            {license.agree}
          </Button>
        </>
      }
    >
      <div className="license">
        <Expiration />
        <div className="agreement" tabIndex={0} role="region" aria-labelledby="agreement-title">
          <h3 id="agreement-title">{agreement.title}</h3>
          {agreement.sections.map(([title, text]) => (
            <section key={title}>
              <h4>{title}</h4>
              <p>{text}</p>
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
