import { useState } from 'react';
import { readTenantSecret } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { call } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useActionNames } from './secret-policy.tsx';
import type { Secret, ListedSecretUse } from './use-secrets.ts';

interface SecretLineProps {
  secret: Secret;
  mayEdit: boolean;
  use: ListedSecretUse | undefined;
  onChange: () => void;
  onRemove: () => void;
}

/** Lists the places that use the secret, each once, and when its value was last read or used. */
function Uses({ use: { usedBy, lastUse } }: { use: ListedSecretUse }) {
  const places = [...new Set(usedBy.map(({ name }) => name ?? t.hiddenUse))];
  return (
    <p className="faint">
      {places.length > 0 ? `${t.usedBy} ${places.join(', ')}` : t.notUsed} ·{' '}
      {lastUse ? (
        <>
          {t.lastUse} {t.useBy(t.lastUseVerbs[lastUse.verb] ?? lastUse.verb, lastUse.by, lastUse.purpose)}{' '}
          <RelativeTime value={lastUse.at} />
        </>
      ) : (
        t.neverUsed
      )}
    </p>
  );
}

/** One secret; its value shows on demand (TEN-012). */
export function SecretLine({ secret, mayEdit, use, onChange, onRemove }: SecretLineProps) {
  const [shown, setShown] = useState<{ value: string; version: number }>();
  // Hides an outdated value, so that nobody takes it for the current one.
  const value = shown?.version === secret.latestVersion ? shown.value : undefined;
  const { allowedHosts, allowedActions } = secret;
  const nameOf = useActionNames(allowedActions ?? []);
  const limits = [
    ...(allowedHosts ? [t.onlyTo(allowedHosts)] : []),
    ...(allowedActions ? [t.onlyBy(allowedActions.map(nameOf).join(', '))] : []),
  ];
  // The server records each reading of a value, so values are neither prefetched nor cached.
  const show = useCommand(
    async () => {
      const latest = await call(readTenantSecret, { id: secret.tenantId, secretId: secret.id, version: 'latest' });
      setShown({ value: latest.value, version: secret.latestVersion });
    },
    { failed: t.readFailed(secret.name) },
  );
  return (
    <li className="secret">
      <div className="secret-head">
        <span className="mono ellipsis">{secret.name}</span>
        <span className="faint">
          {t.version} {secret.latestVersion} · <RelativeTime value={secret.modified} />
        </span>
        <span className="grow" />
        {mayEdit && (
          <>
            <Button
              small
              look="quiet"
              aria-expanded={value !== undefined}
              aria-label={value === undefined ? t.show(secret.name) : t.hide(secret.name)}
              disabled={show.isBusy}
              onClick={() => (value === undefined ? void show.run(undefined) : setShown(undefined))}
            >
              {value === undefined ? t.showValue : t.hideValue}
            </Button>
            <IconButton small icon="edit" label={t.change(secret.name)} title={en.common.edit} onClick={onChange} />
            <IconButton small icon="trash" label={t.deleteSecret(secret.name)} title={en.common.delete} onClick={onRemove} />
          </>
        )}
      </div>
      {use && <Uses use={use} />}
      {limits.length > 0 && <p className="faint">{limits.join(' · ')}</p>}
      {value !== undefined && (
        <div className="secret-value">
          <code>{value}</code>
          <CopyButton text={value} label={secret.name} done={en.copy.readOnly} />
        </div>
      )}
    </li>
  );
}
