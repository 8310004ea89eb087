/** Invites somebody by mail, or by a link to pass on: address, name, tenant and permission set. */
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { z } from 'zod/mini';
import { invitationState, invitePerson } from '@cloudfit/contract/calls.ts';
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { f } from '@cloudfit/contract/resource.ts';
import { invitations } from '@cloudfit/contract/resources/invitations.ts';
import { call, useCall } from '../../api/call.ts';
import { useContextNow } from '../../api/context.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { TextInput } from '../../forms/inputs.tsx';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { allTenants, ChooseExcept, ChooseSet, ChooseTenant, tenantOf } from './choose-set.tsx';

const t = accessTexts.invitations;

const fieldsFor = (place: string) => ({
  email: invitations.fields.email,
  name: invitations.fields.name,
  place: f.text(accessTexts.tenant, { initial: place }),
  except: f.json(t.except, () => z.array(z.string()), { initial: [], input: 'multiline', help: t.exceptHelp }),
  permissionSetId: f.text(accessTexts.permissionSet),
  also: f.json(t.also, () => z.array(z.custom<FurtherPlace>()), { initial: [], input: 'multiline' }),
});

interface FurtherPlace {
  place: string;
  except: string[];
  permissionSetId: string;
}

/** Further sets, each with its tenant, which the same link accepts. */
function AlsoInput({ value, onChange, disabled }: InputProps) {
  const further = (value ?? []) as readonly FurtherPlace[];
  const change = (at: number, next: Partial<FurtherPlace>) =>
    onChange(further.map((item, index) => (index === at ? { ...item, ...next } : item)));
  return (
    <div className="invitation-also">
      {further.map(({ place, except, permissionSetId }, at) => (
        <fieldset key={at} className="invitation-place">
          <legend>{t.alsoPlace(at + 2)}</legend>
          <IconButton
            small
            icon="close"
            label={t.removeAlso(at + 2)}
            onClick={() => onChange(further.filter((_, index) => index !== at))}
          />
          <Field label={accessTexts.tenant}>
            {(aria) => (
              <ChooseTenant aria={aria} value={place} onChange={(next) => change(at, { place: next, except: [], permissionSetId: '' })} />
            )}
          </Field>
          {place === allTenants && (
            <Field label={t.except} help={t.exceptHelp}>
              {(aria) => <ChooseExcept aria={aria} value={except} onChange={(next) => change(at, { except: next })} />}
            </Field>
          )}
          {place !== '' && (
            <Field label={accessTexts.permissionSet}>
              {(aria) => (
                <ChooseSet aria={aria} place={place} value={permissionSetId} onChange={(next) => change(at, { permissionSetId: next })} />
              )}
            </Field>
          )}
        </fieldset>
      ))}
      <Button small icon="plus" disabled={disabled} onClick={() => onChange([...further, { place: '', except: [], permissionSetId: '' }])}>
        {t.addAlso}
      </Button>
    </div>
  );
}

const placeSent = (place: string, except: readonly string[]) =>
  place === allTenants && except.length > 0 ? { tenantId: null, except: [...except] } : { tenantId: tenantOf(place) };

function PlaceInput({ aria, value, values, onChange, setValue }: InputProps) {
  const choose = (place: string) => {
    onChange(place);
    // Each tenant offers sets of its own.
    if (values['permissionSetId']) setValue('permissionSetId', '');
  };
  return <ChooseTenant aria={aria} value={String(value)} onChange={choose} />;
}

const layout = {
  wide: ['place', 'except', 'permissionSetId', 'also'] as const,
  hides: (values: Readonly<Record<string, unknown>>) => (values['place'] === allTenants ? [] : (['except'] as const)),
  inputs: {
    email: (props: InputProps) => <TextInput {...props} type="email" autoComplete="off" />,
    name: (props: InputProps) => <TextInput {...props} autoComplete="off" />,
    place: PlaceInput,
    except: ({ aria, value, onChange }: InputProps) => (
      <ChooseExcept aria={aria} value={(value ?? []) as readonly string[]} onChange={onChange} />
    ),
    also: AlsoInput,
    permissionSetId: ({ aria, value, values, onChange }: InputProps) => (
      <ChooseSet aria={aria} place={String(values['place'])} value={String(value)} onChange={onChange} />
    ),
  },
  requiredTexts: { name: t.nameRequired, permissionSetId: accessTexts.chooseSet },
};

export function InvitePanel({ onClose }: { onClose: (options?: { saved?: boolean }) => void }) {
  const { tenantId: inAddress } = useParams();
  const { tenantId } = useContextNow(inAddress);
  const [invited, setInvited] = useState<{ email: string; link: string }>();
  // Reads why invitations cannot be sent, so that the person knows before typing anything.
  const { data: sending } = useCall(invitationState, {}, { refreshedBy: invitations.name, gcTime: 0 });
  const problem = sending?.problem ?? undefined;
  const { isBusy, ...form } = useActionForm(
    ({ email, name, permissionSetId, place, except, also }, once) => {
      const further = also.filter((item) => item.permissionSetId !== '');
      const more = further.map((item) => ({ permissionSetId: item.permissionSetId, ...placeSent(item.place, item.except) }));
      return call(
        invitePerson,
        { email, name, permissionSetId, ...placeSent(place, except), ...(more.length > 0 ? { also: more } : {}) },
        once,
      );
    },
    {
      draft: 'invitation',
      fields: useMemo(() => fieldsFor(tenantId ?? ''), [tenantId]),
      layout,
      onDone: ({ link }, { email }) => {
        if (link !== undefined) return setInvited({ email, link });
        toast.success(t.sent(email));
        onClose({ saved: true });
      },
      refreshes: [invitations.name],
    },
  );
  useUnsavedGuard(form.state.isDirty && !invited, 'invite', form.state.dropDraft);
  return (
    <SidePanel
      title={t.panelTitle}
      onClose={() => onClose()}
      footer={
        <>
          {!invited && (
            <Button look="primary" type="submit" form={form.state.id} disabled={isBusy || problem !== undefined}>
              {isBusy ? t.sending : sending?.byLink ? t.makeLink : t.send}
            </Button>
          )}
          <Button onClick={() => onClose()}>{invited ? en.common.close : en.common.cancel}</Button>
        </>
      }
    >
      <div className="body">
        {invited ? (
          <section className="form-section" aria-label={t.link}>
            <h3>{t.link}</h3>
            <p className="faint">{t.linkText(invited.email)}</p>
            <div className="invitation-link">
              <code>{invited.link}</code>
              <CopyButton text={invited.link} label={t.link} done={t.linkCopied} autoFocus />
            </div>
          </section>
        ) : (
          <ActionForm {...form}>
            {problem === undefined ? (
              <p className="faint invitation-text">{sending?.byLink ? t.byLinkText : t.text}</p>
            ) : (
              <p className="notice" role="status">
                {problem}
              </p>
            )}
          </ActionForm>
        )}
      </div>
    </SidePanel>
  );
}
