/** The Secrets tab of a tenant: everybody sees names, people who may edit the tenant see values. */
import { useState, type SyntheticEvent } from 'react';
import { deleteTenantSecret, listSecretUses, listTenantSecrets } from '@cloudfit/contract/calls.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { secretHosts, secretHostsWrong, secretName, tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { command, refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { SecretField } from './secret-field.tsx';
import { SecretLine } from './secret-line.tsx';
import { SecretPolicy } from './secret-policy.tsx';
import { draftOf, noSecret, saveSecret, type Secret, type SecretDraft } from './use-secrets.ts';

interface SecretFormProps {
  tenantId: string;
  draft: SecretDraft;
  onDraft: (draft: SecretDraft) => void;
}

function SecretForm({ tenantId, draft, onDraft }: SecretFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<{ draft: SecretDraft; message: string }>();
  const nameWrong = !draft.of && !secretName.test(draft.name) ? t.secretNameWrong : undefined;
  const valueWrong = !draft.of && draft.value === '' ? t.secretValueRequired : undefined;
  const hostsWrong = draft.allowedHosts.trim() !== '' && !secretHosts.test(draft.allowedHosts) ? secretHostsWrong : undefined;
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (nameWrong || valueWrong || hostsWrong || isBusy) return;
    setBusy(true);
    try {
      await saveSecret(tenantId, draft);
      // At once, because a saved draft is no unsaved change, however long the list takes.
      onDraft(noSecret);
      setTried(false);
      tellOfRow({ tenantId }, t.secretSaved(draft.name));
      await refresh([tenantSecrets.name]);
    } catch (error) {
      const message = error instanceof RequestFailed ? error.details.find((detail) => detail.target === 'name')?.message : undefined;
      if (message) setRefused({ draft, message });
      else toastFailure(error, t.secretSaveFailed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="secret-form"
      noValidate
      aria-label={draft.of ? t.newValue(draft.name) : t.addSecret}
      onSubmit={(event) => void submit(event)}
    >
      {!draft.of && (
        <SecretField
          label={t.secretName}
          required
          error={isTried ? (nameWrong ?? (refused?.draft === draft ? refused.message : undefined)) : undefined}
          maxLength={100}
          value={draft.name}
          onChange={(name) => onDraft({ ...draft, name: name.trim() })}
        />
      )}
      <Field
        label={draft.of ? t.newValue(draft.name) : t.secretValue}
        required={!draft.of}
        help={draft.of ? t.emptyKeepsValue : undefined}
        error={isTried ? valueWrong : undefined}
      >
        {(aria) => (
          <textarea
            className="input area code"
            rows={1}
            autoFocus={draft.of !== undefined}
            autoComplete="off"
            spellCheck={false}
            {...aria}
            maxLength={limits.secretLength}
            value={draft.value}
            onChange={(event) => onDraft({ ...draft, value: event.target.value })}
          />
        )}
      </Field>
      <SecretPolicy tenantId={tenantId} draft={draft} error={isTried ? hostsWrong : undefined} onDraft={onDraft} />
      <div className="row">
        <Button small look={draft.of ? 'primary' : 'plain'} icon={draft.of ? 'check' : 'plus'} type="submit" disabled={isBusy}>
          {isBusy ? en.common.saving : draft.of ? t.replaceSecret : t.addSecret}
        </Button>
        {draft.of && (
          <Button small onClick={() => onDraft(noSecret)}>
            {en.common.cancel}
          </Button>
        )}
      </div>
    </form>
  );
}

const remove = command((secret: Secret) => call(deleteTenantSecret, { id: secret.tenantId, secretId: secret.id }), {
  confirm: ({ name }) => ({ title: t.deleteSecretTitle, text: t.deleteSecretQuestion(name), yes: en.common.delete, danger: true }),
  done: (_, { name }) => en.form.deleted(name),
  failed: ({ name }) => t.deleteSecretFailed(name),
  isWhole: true,
  refreshes: [tenantSecrets.name],
});

interface SecretsProps {
  tenantId: string;
  mayEdit: boolean;
  draft: SecretDraft;
  onDraft: (draft: SecretDraft) => void;
}

export function Secrets({ tenantId, mayEdit, draft, onDraft }: SecretsProps) {
  const refreshedBy = tenantSecrets.name;
  const list = useCall(listTenantSecrets, { id: tenantId }, { refreshedBy, quiet: false });
  const uses = useCall(listSecretUses, { id: tenantId }, { refreshedBy, enabled: mayEdit });
  const removeOne = async (secret: Secret) => {
    if ((await remove(secret)) && draft.of?.id === secret.id) onDraft(noSecret);
  };
  if (list.error && !list.data)
    return <ErrorState small title={t.secretsFailed} text={failureText(list.error)} onRetry={() => void list.refetch()} />;
  return (
    <section className="secrets" aria-label={t.tabs.secrets}>
      <p className="muted">{t.secretsText}</p>
      {mayEdit && <SecretForm key={draft.of?.id ?? 'new'} tenantId={tenantId} draft={draft} onDraft={onDraft} />}
      {!list.data && <Skeleton width="60%" />}
      {list.data?.value.length === 0 && <EmptyState small title={t.noSecrets} text={mayEdit ? t.noSecretsText : undefined} />}
      <ul>
        {list.data?.value.map((secret) => (
          <SecretLine
            key={secret.id}
            secret={secret}
            mayEdit={mayEdit}
            use={uses.data?.value.find(({ secretId }) => secretId === secret.id)}
            onChange={() => onDraft(draftOf(secret))}
            onRemove={() => void removeOne(secret)}
          />
        ))}
      </ul>
    </section>
  );
}
