import { en } from '@cloudfit/contract/messages/en.ts';
import type { SessionState } from '../../api/session.ts';
import './sign-in.css';

const texts: Partial<Record<SessionState, string>> = {
  redirecting: en.auth.redirecting,
  'signing-in': en.auth.signingIn,
  'signing-out': en.auth.signingOut,
  'signed-out': en.auth.redirecting,
};

/** Tells what the portal is waiting for, such as the redirect to the provider, while nobody is signed in. */
export function Waiting({ state }: { state: SessionState }) {
  return (
    <main className="full">
      <span className="waiting" role="status">
        {texts[state] ?? en.auth.loading}
      </span>
    </main>
  );
}

/** Shown while the code of the first screen loads. */
export function Starting() {
  return <Waiting state="loading" />;
}
