import { en } from '@cloudfit/contract/messages/en.ts';
import { signOut } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Mark } from '../../components/mark.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { WhyDenied } from '../../entities/people/why-denied.tsx';
import { RequestAccessButton } from '../../features/access-request/request-access-button.tsx';
import './sign-in.css';

export function AccessDeniedPage() {
  usePageTitle(en.auth.deniedTitle);
  return (
    <div className="sign-in">
      <main>
        <Mark />
        <h1>{en.auth.deniedTitle}</h1>
        <p className="muted">{en.auth.deniedText}</p>
        <WhyDenied />
        <Button onClick={() => void signOut()}>{en.auth.differentAccount}</Button>
        <RequestAccessButton />
      </main>
    </div>
  );
}
