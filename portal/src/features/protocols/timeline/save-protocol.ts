/** Saves a protocol with its steps: one request, which takes effect as a whole or not at all. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { RequestFailed } from '../../../api/client.ts';
import { writeTogether, type WriteAnswer, type WritePart } from '../../../api/row-calls.ts';
import type { FormValues } from '../../../rows/row.ts';
import type { StepChanges } from './steps.ts';

/** What was refused: the protocol, or the step with this key. */
export class SaveRefused extends RequestFailed {
  readonly step: string | undefined;

  constructor(step: string | undefined, { status, body }: WriteAnswer) {
    super(status, body?.error?.message ?? '', body?.error?.code, body?.error?.details);
    this.step = step;
  }
}

const protocolPart = 'protocol';

interface ProtocolChanges extends StepChanges {
  /** Undefined for a new protocol. */
  protocolId: string | undefined;
  protocol: FormValues<typeof protocols>;
}

function partsOf({ protocolId, protocol, removed, written }: ProtocolChanges): WritePart[] {
  const parent = protocolId === undefined ? { 'protocol@odata.bind': `$${protocolPart}` } : { protocolId };
  const rows = `/v1/${protocols.name}`;
  const steps = `/v1/${protocolActions.name}`;
  const ofProtocol: WritePart[] =
    protocolId === undefined
      ? [{ id: protocolPart, method: 'PUT', url: rows, body: protocol }]
      : Object.keys(protocol).length > 0
        ? [{ id: protocolPart, method: 'POST', url: `${rows}/${protocolId}`, body: protocol }]
        : [];
  return [
    ...ofProtocol,
    ...removed.map((key): WritePart => ({ id: key, method: 'DELETE', url: `${steps}/${key}` })),
    ...written.map(({ key, isNew, values }): WritePart =>
      isNew
        ? { id: key, method: 'PUT', url: steps, body: { ...values, ...parent } }
        : { id: key, method: 'POST', url: `${steps}/${key}`, body: values },
    ),
  ];
}

export function useSaveProtocol() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: ProtocolChanges) => {
      const responses = await writeTogether(partsOf(changes));
      const failed = responses.find(({ status }) => status >= 400);
      if (failed) throw new SaveRefused(failed.id === protocolPart ? undefined : failed.id, failed);
      const protocolId = responses.find(({ id }) => id === protocolPart)?.body?.['protocolId'];
      return typeof protocolId === 'string' ? protocolId : undefined;
    },
    onSuccess: () => Promise.all([protocols, protocolActions].map(({ name }) => client.invalidateQueries({ queryKey: [name] }))),
  });
}
