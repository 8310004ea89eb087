/** Writes an update: published at once, or after a preview of the mail that it will be. */
import { useMemo, useRef, useState, type SyntheticEvent } from 'react';
import { postCommunicationUpdate, previewCommunicationUpdate } from '@cloudfit/contract/calls.ts';
import { communicationStatuses } from '@cloudfit/contract/enums.ts';
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { f, optional } from '@cloudfit/contract/resource.ts';
import { communicationUpdates, updateTextMax } from '@cloudfit/contract/resources/communication-updates.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { call, useCall } from '../../../api/call.ts';
import { ActionForm } from '../../../calls/action-form.tsx';
import { useActionForm } from '../../../calls/use-action-form.ts';
import { Button } from '../../../components/button.tsx';
import { toast } from '../../../components/toasts.tsx';
import { communicationProblems, isClosed, type CommunicationRow } from '../communication.rules.ts';
import { nextUpdateAfter } from './interval.rules.ts';
import { MailPreviewDialog } from './mail-preview.tsx';
import { TemplateChoice } from './template-choice.tsx';
import { mailNames, type PublishedUpdate } from './use-updates.ts';
import { nowMs } from '../../../theme/now.ts';

function fieldsOf(communication: CommunicationRow, nextUpdate: string) {
  return {
    text: f.text(t.text, { required: true, max: updateTextMax }),
    status: f.choice(
      t.status,
      communicationStatuses.map(({ value }) => value),
      { initial: communication.status, choices: communicationStatuses },
    ),
    nextUpdate: optional(f.timestamp(t.nextUpdate, { initial: nextUpdate })),
    rootCause: optional(f.text(t.rootCause, { max: 4_000 })),
  };
}

type UpdateValues = Pick<PublishedUpdate, 'status' | 'nextUpdate'> & { text: string; rootCause?: string | null };

const refreshes = [communicationUpdates.name, workUnitCommunications.name, workUnitCommunicationActivities.name, ...mailNames];

interface UpdatePreviewProps {
  id: number;
  values: UpdateValues;
  isBusy: boolean;
  onSend: (digest: string) => void;
  onClose: () => void;
}

function Preview({ id, values, ...rest }: UpdatePreviewProps) {
  const query = useCall(previewCommunicationUpdate, { wucommId: id, ...values }, { gcTime: 0 });
  return <MailPreviewDialog query={query} send={t.send} {...rest} />;
}

interface UpdateFormProps {
  communication: CommunicationRow;
  last: PublishedUpdate | undefined;
  onDone: () => void;
}

export function UpdateForm({ communication, last, onDone }: UpdateFormProps) {
  const id = communication.workUnitCommunicationId;
  const [previewed, setPreviewed] = useState<UpdateValues>();
  const digest = useRef<string>(undefined);
  // The time is that of the first render, so that it does not move while somebody writes.
  const [nextUpdate] = useState(() => nextUpdateAfter(last ?? communication, nowMs()));
  const fields = useMemo(() => fieldsOf(communication, nextUpdate), [communication, nextUpdate]);
  const layout = useMemo(() => {
    const hidden = ({ status }: { status?: unknown }) => [
      ...(isClosed(status) ? (['nextUpdate'] as const) : []),
      ...(status === 'Resolved' && !communication.rootCause?.trim() ? [] : (['rootCause'] as const)),
    ];
    return {
      sections: [{ fields: ['text', 'status', 'nextUpdate', 'rootCause'] as const }],
      wide: ['text', 'rootCause'] as const,
      help: { text: t.textHelp, nextUpdate: t.nextUpdateHelp },
      hides: hidden,
      check: ({ status, nextUpdate: next, rootCause }: { status?: unknown; nextUpdate?: unknown; rootCause?: unknown }) =>
        communicationProblems(
          { status, nextUpdate: isClosed(status) ? null : next, rootCause: rootCause || communication.rootCause } as never,
          undefined,
          nowMs(),
        ),
    };
  }, [communication]);
  const { isBusy, ...form } = useActionForm(
    ({ text, status, nextUpdate: next, rootCause }, once) =>
      call(
        postCommunicationUpdate,
        {
          wucommId: id,
          text,
          status,
          nextUpdate: isClosed(status) ? null : next,
          rootCause,
          ...(digest.current ? { mail: true, digest: digest.current } : {}),
        },
        once,
      ),
    {
      draft: `communicationUpdate.${id}`,
      fields,
      layout,
      onDone: ({ queued }) => {
        toast.success(digest.current ? t.mailed(queued) : t.published);
        onDone();
      },
      refreshes,
    },
  );
  const look = form.state.form.handleSubmit((values) => {
    const { text, status, nextUpdate: next, rootCause = null } = values as UpdateValues;
    setPreviewed({ text, status, nextUpdate: isClosed(status) ? null : next, rootCause });
  });
  const submit = (mailed: string | undefined, event: SyntheticEvent) => {
    digest.current = mailed;
    setPreviewed(undefined);
    form.submit(event);
  };
  return (
    <section className="form-section update-form" aria-label={t.write}>
      <h3>{t.write}</h3>
      <TemplateChoice
        communication={communication}
        nextUpdate={String(form.state.form.watch('nextUpdate') ?? '') || null}
        onText={(text) => form.state.form.setValue('text', text, { shouldDirty: true })}
      />
      <ActionForm {...form} label={t.write} submit={(event) => submit(undefined, event)} />
      <div className="update-buttons">
        <Button look="primary" icon="mail" disabled={isBusy || !form.state.isDirty} onClick={(event) => void look(event)}>
          {t.preview}
        </Button>
        <Button type="submit" form={form.state.id} disabled={isBusy || !form.state.isDirty}>
          {t.publish}
        </Button>
      </div>
      {previewed && (
        <Preview
          id={id}
          values={previewed}
          isBusy={isBusy}
          onSend={(shown) => submit(shown, { preventDefault: () => undefined } as SyntheticEvent)}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </section>
  );
}
