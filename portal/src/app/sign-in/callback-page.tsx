import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { finishSignIn } from '../../api/session.ts';
import { Waiting } from './waiting.tsx';

let finishing: Promise<string> | undefined;

/** The page to which the provider redirects after the sign-in. */
export function CallbackPage() {
  const navigate = useNavigate();
  useEffect(() => {
    // One call for all effects: the code in the address can be redeemed only once.
    finishing ??= finishSignIn();
    void finishing
      .then((url) => navigate(url, { replace: true }))
      .finally(() => {
        finishing = undefined;
      });
  }, [navigate]);
  return <Waiting state="signing-in" />;
}
