/** What connects a directory: the address and the token of SCIM, the secret for the provider, and a try. */
import { useState, type SyntheticEvent } from 'react';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { endDirectoryToken, newDirectoryToken, setDirectorySecret, tryDirectory } from '@cloudfit/contract/calls.ts';
import { directoryTexts as t } from '@cloudfit/contract/messages/directories.en.ts';
import { directories } from '@cloudfit/contract/resources/directories.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { useCommand } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { TextField } from '../../../components/fields/text-field.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { stateOf, type Directory } from './directory-row.ts';

const refreshes = [directories.name];

function CopyLine({ label, text }: { label: string; text: string }) {
  return (
    <div className="receiver-paste">
      <p className="faint">{label}</p>
      <div className="receiver-line">
        <pre tabIndex={0} role="group" aria-label={label}>
          {text}
        </pre>
        <CopyButton text={text} label={label} done={t.copied} />
      </div>
    </div>
  );
}

function Secret({ directory }: { directory: Directory }) {
  const [secret, setSecret] = useState('');
  const { run, isBusy } = useCommand(
    (value: string) => call(setDirectorySecret, { id: directory.directoryId, secret: value }, { quiet: true }),
    {
      done: () => t.secretStored,
      failed: t.secretFailed,
      refreshes,
    },
  );
  const store = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (secret !== '' && (await run(secret))) setSecret('');
  };
  return (
    <form className="directory-line" noValidate onSubmit={(event) => void store(event)}>
      <TextField
        label={directory.kind === 'Ldap' ? t.secretLdap : t.secretOidc}
        help={t.secretHint}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
      />
      <Button type="submit" disabled={isBusy || secret === ''}>
        {t.store}
      </Button>
    </form>
  );
}

function Trial({ directory }: { directory: Directory }) {
  const [userName, setUserName] = useState('');
  const [trial, setTrial] = useState<CallOutput<typeof tryDirectory>>();
  const { run, isBusy } = useCommand(
    (name: string) => call(tryDirectory, { id: directory.directoryId, ...(name === '' ? {} : { userName: name }) }, { quiet: true }),
    { failed: t.tryFailed },
  );
  const attempt = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTrial(undefined);
    setTrial((await run(userName.trim()))?.answer);
  };
  return (
    <>
      <form className="directory-line" noValidate onSubmit={(event) => void attempt(event)}>
        {directory.kind === 'Ldap' && <TextField label={t.tryName} autoComplete="off" value={userName} onChange={setUserName} />}
        <Button type="submit" icon="link" disabled={isBusy}>
          {t.try}
        </Button>
      </form>
      {trial && (
        <p className={trial.works ? 'notice ok' : 'notice'} role="status">
          <strong>{trial.works ? t.works : t.doesNotWork}.</strong> {trial.message}
        </p>
      )}
    </>
  );
}

function Provisioning({ directory, mayEdit }: { directory: Directory; mayEdit: boolean }) {
  const { directoryId: id, name, tokenHint, tokenExpiresOn, lastProvisioned } = directory;
  const [token, setToken] = useState<string>();
  const renew = useCommand(() => call(newDirectoryToken, { id }, { quiet: true }), {
    confirm: () => ({ title: t.newToken, text: t.newTokenQuestion(name), yes: t.newToken, danger: Boolean(tokenHint) }),
    failed: t.newTokenFailed,
    refreshes,
  });
  const end = useCommand(() => call(endDirectoryToken, { id }, { quiet: true }), {
    confirm: () => ({ title: t.endToken, text: t.endTokenQuestion(name), yes: t.endToken, danger: true }),
    done: () => t.tokenEnded,
    failed: t.endTokenFailed,
    refreshes,
  });
  const make = async () => setToken((await renew.run(undefined))?.answer.generatedToken);
  const stop = async () => {
    if (await end.run(undefined)) setToken(undefined);
  };
  return (
    <section className="form-section" aria-label={t.scim}>
      <h3>{t.scim}</h3>
      <p className="faint">{t.scimHint}</p>
      <CopyLine label={t.scimAddress} text={`${location.origin}/scim/v2`} />
      {token !== undefined && <CopyLine label={`${t.token}. ${t.tokenOnce}`} text={token} />}
      <dl className="receiver-facts">
        <div>
          <dt>{t.token}</dt>
          <dd>
            {tokenHint && tokenExpiresOn ? (
              <>
                <span className="mono">{tokenHint}</span> {t.tokenEnds} <RelativeTime value={tokenExpiresOn} />
              </>
            ) : (
              t.noToken
            )}
          </dd>
        </div>
        <div>
          <dt>{t.lastProvisioned}</dt>
          <dd>{lastProvisioned ? <RelativeTime value={lastProvisioned} /> : t.never}</dd>
        </div>
      </dl>
      {mayEdit && (
        <div className="directory-line">
          <Button small icon="refresh" disabled={renew.isBusy} onClick={() => void make()}>
            {t.newToken}
          </Button>
          {tokenHint && (
            <Button small look="danger" disabled={end.isBusy} onClick={() => void stop()}>
              {t.endToken}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

export function DirectoryConnection({ row: directory }: { row: Directory }) {
  const may = useMay();
  const { text, tone } = stateOf(directory);
  const mayEdit = may('People', 'edit');
  return (
    <>
      <section className="form-section" aria-label={t.state}>
        <div className="receiver-state">
          <Chip dot tone={tone}>
            {text}
          </Chip>
        </div>
        {directory.kind === 'Oidc' && <CopyLine label={t.redirect} text={`${location.origin}/idp/directory/callback`} />}
        {directory.kind !== 'None' && mayEdit && (
          <>
            <Secret directory={directory} />
            <Trial directory={directory} />
          </>
        )}
      </section>
      <Provisioning directory={directory} mayEdit={mayEdit} />
    </>
  );
}
