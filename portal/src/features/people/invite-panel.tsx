/** Invites somebody by mail, or by a link to pass on: address, name, tenant and permission set. */
import { useId, useState, type SyntheticEvent } from 'react';
import { useParams } from 'react-router';
import { invitationState, invitePerson } from '@cloudfit/contract/calls.ts';
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { invitations } from '@cloudfit/contract/resources/invitations.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText, RequestFailed, useFormId } from '../../api/client.ts';
import { useContextNow } from '../../api/context.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';
import { ChooseSet, ChooseTenant, tenantOf } from './choose-set.tsx';

const t = accessTexts.invitations;

export function InvitePanel({ onClose }: { onClose: () => void }) {
  const form = useId();
  const { tenantId: inAddress } = useParams();
  const { tenantId } = useContextNow(inAddress);
  const [draft, setDraft] = useState({ email: '', name: '', place: tenantId ?? '', permissionSetId: '' });
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [link, setLink] = useState<string>();
  const formId = useFormId();
  // Reads why invitations cannot be sent, so that the person knows before typing anything.
  const { data: state } = useCall(invitationState, {}, { refreshedBy: invitations.name, gcTime: 0 });
  const problem = state?.problem ?? undefined;
  const missing = {
    email: draft.email.includes('@') ? undefined : t.emailRequired,
    name: draft.name.trim() === '' ? t.nameRequired : undefined,
    permissionSetId: draft.permissionSetId === '' ? accessTexts.chooseSet : undefined,
  };
  const errorOf = (field: keyof typeof missing) =>
    (isTried ? missing[field] : undefined) ??
    (failure instanceof RequestFailed ? failure.details.find(({ target }) => target === field)?.message : undefined);
  const send = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    setFailure(undefined);
    if (missing.email || missing.name || missing.permissionSetId || isBusy || problem !== undefined) return;
    setBusy(true);
    const { email, name, permissionSetId } = draft;
    try {
      const answer = await call(
        invitePerson,
        { email, name, permissionSetId, tenantId: tenantOf(draft) },
        { creates: true, form: formId, quiet: true },
      );
      await queryClient.invalidateQueries({ queryKey: [invitations.name] });
      if (answer.link !== undefined) {
        setLink(answer.link);
        return;
      }
      toast.success(t.sent(email));
      onClose();
    } catch (error) {
      console.warn(error);
      setFailure(error);
      setBusy(false);
    }
  };
  if (link !== undefined)
    return (
      <SidePanel title={t.panelTitle} onClose={onClose} footer={<Button onClick={onClose}>{en.common.close}</Button>}>
        <div className="body">
          <section className="form-section" aria-label={t.link}>
            <h3>{t.link}</h3>
            <p className="faint">{t.linkText(draft.email)}</p>
            <div className="invitation-link">
              <code>{link}</code>
              <CopyButton text={link} label={t.link} done={t.linkCopied} autoFocus />
            </div>
          </section>
        </div>
      </SidePanel>
    );
  const input = (field: 'email' | 'name', label: string, type: string) => (
    <Field label={label} required error={errorOf(field)}>
      {(aria) => (
        <input
          className="input"
          type={type}
          autoFocus={field === 'email'}
          autoComplete="off"
          {...aria}
          value={draft[field]}
          onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <SidePanel
      title={t.panelTitle}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" type="submit" form={form} disabled={isBusy || problem !== undefined}>
            {isBusy ? t.sending : state?.byLink ? t.makeLink : t.send}
          </Button>
          <Button onClick={onClose}>{en.common.cancel}</Button>
        </>
      }
    >
      <form id={form} className="body" noValidate onSubmit={(event) => void send(event)}>
        {problem === undefined ? (
          <p className="faint">{state?.byLink ? t.byLinkText : t.text}</p>
        ) : (
          <p className="notice" role="status">
            {problem}
          </p>
        )}
        {failure !== undefined && (
          <p className="notice error" role="alert">
            {failureText(failure)}
          </p>
        )}
        <div className="give-access">
          {input('email', t.email, 'email')}
          {input('name', t.name, 'text')}
          <ChooseTenant value={draft.place} onChange={(place) => setDraft({ ...draft, place, permissionSetId: '' })} />
          <ChooseSet
            place={draft.place}
            value={draft.permissionSetId}
            error={errorOf('permissionSetId')}
            onChange={(permissionSetId) => setDraft({ ...draft, permissionSetId })}
          />
        </div>
      </form>
    </SidePanel>
  );
}
