/** The form by which people without an account request an account; open to everyone while the feature is on. */
import { useState } from 'react';
import { Link } from 'react-router';
import { accessRequestTexts as t } from '@cloudfit/contract/messages/access-request.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useFeature } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Mark } from '../../components/mark.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { FormFields } from '../../forms/form-fields.tsx';
import { useUnsavedBlocker } from '../../hooks/use-unsaved-guard.ts';
import { accessRequestFeature } from './feature.ts';
import { useAccessRequest } from './use-access-request.ts';
import './access-request.css';

const loginAddress = '/user/login';

function RequestForm() {
  const { state, isSending, problem, sentFor, submit } = useAccessRequest();
  const [website, setWebsite] = useState('');
  useUnsavedBlocker();
  if (sentFor !== undefined)
    return (
      <div role="status">
        <EmptyState icon="check" title={t.done} text={t.doneText(sentFor)}>
          <Link className="btn" to={loginAddress}>
            {t.back}
          </Link>
        </EmptyState>
      </div>
    );
  return (
    <form
      id={state.id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(website);
      }}
    >
      <p className="muted">{t.intro}</p>
      <FormFields state={state} />
      <div className="nobody" aria-hidden>
        <label>
          {t.website}
          <input
            type="text"
            name="website"
            tabIndex={-1}
            autoComplete="off"
            value={website}
            onChange={(event) => setWebsite(event.target.value)}
          />
        </label>
      </div>
      {problem && (
        <p className="notice error" role="alert">
          {problem.text} {problem.more}
        </p>
      )}
      <div className="row">
        <Button look="primary" type="submit" disabled={isSending}>
          {isSending ? t.sending : t.submit}
        </Button>
        <Link className="btn" to={loginAddress}>
          {t.back}
        </Link>
      </div>
    </form>
  );
}

export function AccessRequestPage() {
  usePageTitle(t.title);
  const { data: isOn, isPending } = useFeature(accessRequestFeature);
  return (
    <div className="access-request">
      <main>
        <header className="row">
          <Mark />
          <h1>{en.product}</h1>
        </header>
        <h2>{t.title}</h2>
        {isOn ? (
          <RequestForm />
        ) : isPending ? (
          <Skeleton width="60%" />
        ) : (
          <EmptyState icon="lock" title={t.closedTitle} text={t.closedText}>
            <Link className="btn" to={loginAddress}>
              {t.back}
            </Link>
          </EmptyState>
        )}
      </main>
    </div>
  );
}
