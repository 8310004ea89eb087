/** Saves the status and notes of one control in the week. */
import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { complianceTexts as t } from '@cloudfit/contract/messages/compliance.en.ts';
import { controlSets, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { answerMs } from '../../api/client.ts';
import { changeRow, createRow, removeRow } from '../../api/row-calls.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { en } from '@cloudfit/contract/messages/en.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { pageQuery, type RowsPage } from '../../rows/use-rows.ts';
import type { WeekControl, ControlStatus, SetOfWeek, WeekQuery } from './use-controls.ts';
import type { Status } from './use-place.ts';

export interface WeekOfTenant {
  tenantId: string;
  monday: string;
  query: WeekQuery;
}

type StatusChange = { status: Status } | { notes: string | null };

export function useControlStatus(control: WeekControl, { tenantId, monday, query }: WeekOfTenant) {
  const client = useQueryClient();
  const { queryKey } = pageQuery(controlSets, query);
  const [isSaving, setSaving] = useState(false);
  const before = useRef<Promise<unknown>>(Promise.resolve());

  const currentStatus = () =>
    client
      .getQueryData<RowsPage<SetOfWeek>>(queryKey)
      ?.rows.flatMap((set) => set.controls)
      .find((candidate) => candidate.id === control.id)?.controlStatuses[0];
  const show = (record: ControlStatus | undefined) =>
    client.setQueryData<RowsPage<SetOfWeek>>(
      queryKey,
      (page) =>
        page && {
          ...page,
          rows: page.rows.map((set) => ({
            ...set,
            controls: set.controls.map((item) => (item.id === control.id ? { ...item, controlStatuses: record ? [record] : [] } : item)),
          })),
        },
    );
  /** Runs saves one after the other: a click saves the notes on blur first, and two saves at once would create two records. */
  const inTurn = (work: () => Promise<boolean>): Promise<boolean> => {
    const next = before.current.then(work);
    before.current = next.catch(() => undefined);
    return next;
  };
  /** Optimistic update: shows the status at once, and restores the previous status if the server refuses the change. */
  const attempt = async (shown: ControlStatus | undefined, send: () => Promise<ControlStatus | undefined>, failed: string) => {
    await client.cancelQueries({ queryKey });
    const was = currentStatus();
    show(shown);
    setSaving(true);
    try {
      show(await send());
      return true;
    } catch (error) {
      show(was);
      toastFailure(error, failed);
      void client.invalidateQueries({ queryKey: [controlSets.name] });
      return false;
    } finally {
      setSaving(false);
    }
  };

  const write = (change: StatusChange, created: string, updated: string) =>
    inTurn(() => {
      const record = currentStatus();
      const send = () =>
        record
          ? changeRow(controlStatuses, record.id, change, { limitMs: answerMs })
          : createRow(
              controlStatuses,
              { checkDate: monday, status: 'Notset', notes: null, tenantId, controlId: control.id, ...change },
              { limitMs: answerMs },
            );
      const now = new Date().toISOString();
      const blank: ControlStatus = {
        id: '',
        checkDate: monday,
        status: 'Notset',
        notes: null,
        tenantId,
        controlId: control.id,
        created: now,
        modified: now,
        modifiedBy: '',
      };
      return attempt({ ...(record ?? blank), ...change }, send, record ? updated : created);
    });

  const remove = async (status: Status) => {
    const answer = await confirm({
      title: t.removeTitle,
      text: t.removeQuestion(t.status[status], control.name),
      yes: t.remove,
      no: en.common.cancel,
      danger: true,
    });
    if (!answer.yes) return;
    const done = await inTurn(async () => {
      const record = currentStatus();
      if (!record) return false;
      const send = async () => void (await removeRow(controlStatuses, record.id, { limitMs: answerMs }));
      return attempt(undefined, send, t.deleteFailed);
    });
    if (done) toast.success(t.deleted);
  };

  return {
    /** Whether what is shown has not been confirmed by the server yet. */
    isSaving,
    /** Chooses a status. Choosing the current one clears it. */
    choose: (status: Status) =>
      void (currentStatus()?.status === status ? remove(status) : write({ status }, t.createFailed, t.updateFailed)),
    saveNotes: async (notes: string) => {
      const done = await write({ notes: notes === '' ? null : notes }, t.noteCreateFailed, t.noteUpdateFailed);
      if (done) toast.success(t.noteSaved);
      return done;
    },
  };
}
