/** The customer's reply to a request; what is typed is stored in the tab until it is sent. */
import { useMemo, useState } from 'react';
import { replyToRequest } from '@cloudfit/contract/calls.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { f } from '@cloudfit/contract/resource.ts';
import { call, type SendOptions } from '../../api/call.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { MessageInput } from './message-input.tsx';
import { requests, type CustomerRequest } from './requests.ts';

const t = resolutionCenterEn.reply;

const fields = {
  text: f.text(t.label, { required: true, max: limits.noteLength, message: t.required, help: t.help }),
  reopens: f.boolean(t.reopens, { initial: false }),
};

interface ReplyProps {
  request: Pick<CustomerRequest, 'workUnitId' | 'stateId'>;
}

function ReplyForm({ request: { workUnitId, stateId }, onSent }: ReplyProps & { onSent: () => void }) {
  const isResolved = stateId === 'Resolved';
  const isFinal = stateId === 'Closed' || stateId === 'Canceled';
  const layout = useMemo(
    () => ({
      sections: [{ fields: isResolved ? (['text', 'reopens'] as const) : (['text'] as const) }],
      wide: ['text' as const, 'reopens' as const],
      inputs: { text: (props: InputProps) => <MessageInput {...props} id={workUnitId} /> },
      ...(isFinal ? { help: { text: t.closed } } : {}),
    }),
    [workUnitId, isResolved, isFinal],
  );
  // A draft may say so from the time when the request was resolved.
  const send = ({ text, reopens }: { text: string; reopens: boolean }, once: SendOptions) =>
    call(replyToRequest, { workUnitId, text, ...(isResolved && reopens ? { reopens } : {}) }, once);
  const { isBusy, ...form } = useActionForm(send, {
    draft: `reply.${workUnitId}`,
    fields,
    layout,
    onDone: (_request, { reopens }) => {
      toast.success(isResolved && reopens ? t.reopened : t.sent);
      onSent();
    },
    refreshes: [requests.name],
  });
  return (
    <div className="form-section">
      <ActionForm {...form} />
      <Button look="primary" type="submit" form={form.state.id} disabled={isBusy || !form.state.isDirty}>
        {t.send}
      </Button>
    </div>
  );
}

/** Each message has a form of its own, so that a repeated press after an unknown outcome sends none twice. */
export function Reply({ request }: ReplyProps) {
  const [sentCount, setSentCount] = useState(0);
  return <ReplyForm key={sentCount} request={request} onSent={() => setSentCount((count) => count + 1)} />;
}
