/** The customer's reply to a request; what is typed is stored in the tab until it is sent. */
import { useMemo, useState } from 'react';
import { replyToRequest } from '@cloudfit/contract/calls.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { f } from '@cloudfit/contract/resource.ts';
import { call } from '../../api/call.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { MessageInput } from './message-input.tsx';
import { requests } from './requests.ts';

const t = resolutionCenterEn.reply;

const fields = { text: f.text(t.label, { required: true, max: limits.noteLength, message: t.required, help: t.help }) };
function ReplyForm({ id, onSent }: { id: number; onSent: () => void }) {
  const layout = useMemo(
    () => ({
      sections: [{ fields: ['text' as const] }],
      wide: ['text' as const],
      inputs: { text: (props: InputProps) => <MessageInput {...props} id={id} /> },
    }),
    [id],
  );
  const { isBusy, ...form } = useActionForm(({ text }, once) => call(replyToRequest, { workUnitId: id, text }, once), {
    draft: `reply.${id}`,
    fields,
    layout,
    onDone: () => {
      toast.success(t.sent);
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
export function Reply({ id }: { id: number }) {
  const [sentCount, setSentCount] = useState(0);
  return <ReplyForm key={sentCount} id={id} onSent={() => setSentCount((count) => count + 1)} />;
}
