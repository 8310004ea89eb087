/** The state of the access request form, and sending it without being signed in. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { accessRequest } from '@cloudfit/contract/calls.ts';
import { accessRequestForm, summaryOf } from '@cloudfit/contract/access-request.ts';
import { accessRequestTexts as t } from '@cloudfit/contract/messages/access-request.en.ts';
import { call } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { showFieldErrors, useResourceForm, type ResourceFormState } from '../../forms/use-resource-form.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { accessRequestFields, accessRequestLayout, answered, type RequestValues } from './access-request-form.ts';

/** HTTP status Too Many Requests. The server's message with this status says when to try again. */
const tooMany = 429;

export interface AccessRequest {
  state: ResourceFormState<typeof accessRequestFields>;
  isSending: boolean;
  /** The error of the last attempt: a general message, and in `more` what the server adds to it. */
  problem: { text: string; more: string | undefined } | undefined;
  /** The mail address to which the answer will go; undefined until the request has been sent. */
  sentFor: string | undefined;
  submit: (website: string) => void;
}

export function useAccessRequest(): AccessRequest {
  const [opened] = useState(() => new Date().toISOString());
  const state = useResourceForm({ resource: accessRequestFields, mode: 'create', row: undefined, layout: accessRequestLayout });
  const { form } = state;
  form.watch(['requestType', 'stakeholderDesignation']);
  const send = useMutation({
    mutationFn: ({ values, website }: { values: RequestValues; website: string }) => {
      const request = accessRequestForm.parse(answered(values));
      const body = { ...request, ...summaryOf(request, new Date()), opened, website };
      return call(accessRequest, body, { creates: true, quiet: true });
    },
    onError: (error) => showFieldErrors(state, error),
  });
  useUnsavedGuard(state.isDirty && !send.isSuccess, 'accessRequest', state.dropDraft);
  const { error } = send;
  return {
    state,
    isSending: send.isPending,
    problem: error
      ? { text: t.failed, more: error instanceof RequestFailed && error.status === tooMany ? error.message : undefined }
      : undefined,
    sentFor: send.isSuccess ? String(send.variables.values.stakeholderEmail) : undefined,
    submit: (website) => void form.handleSubmit(() => send.mutate({ values: form.getValues(), website }))(),
  };
}
