import { useEffect } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { signIn, useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Mark } from '../../components/mark.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { requestedUrl } from '../../api/request-url.ts';
import { Waiting } from './waiting.tsx';
import { RequestAccessButton } from '../../features/access-request/request-access-button.tsx';
import './sign-in.css';

const problems = { failed: en.auth.failed, 'no-provider': en.auth.noProvider, ended: en.auth.ended, expired: en.auth.expired };

export function LoginPage() {
  const session = useSession();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const target = requestedUrl(params.get('requestUrl'));
  usePageTitle(en.auth.login);
  useEffect(() => {
    if (session.state === 'signed-in') void navigate(target, { replace: true });
  }, [session.state, navigate, target]);
  if (session.state !== 'signed-out') return <Waiting state={session.state} />;
  return (
    <div className="sign-in">
      <main>
        <Mark />
        <h1>{en.product}</h1>
        <p className="muted">{en.auth.tagline}</p>
        {session.problem && (
          <p className="problem" role="alert">
            {problems[session.problem]}
          </p>
        )}
        <Button look="primary" autoFocus onClick={() => void signIn(target)}>
          {en.auth.login}
        </Button>
        <RequestAccessButton />
      </main>
    </div>
  );
}
