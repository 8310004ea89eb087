/** Saves a protocol with its steps: one request, which takes effect as a whole or not at all. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ErrorDetail } from '@cloudfit/contract/errors.ts';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { callJson, createOnce, RequestFailed } from '../../../api/client.ts';
import type { FormValues } from '../../../rows/row.ts';
import type { StepChanges } from './steps.ts';

/** What was refused: the protocol, or the step with this key. */
export class SaveRefused extends RequestFailed {
  readonly step: string | undefined;

  constructor(step: string | undefined, status: number, error: { message?: string; code?: string; details?: Partial<ErrorDetail>[] } = {}) {
    super(status, error.message ?? '', error.code, error.details);
    this.step = step;
  }
}

interface SavePart {
  id: string;
  method: 'PUT' | 'POST' | 'DELETE';
  url: string;
  body?: unknown;
}

interface PartAnswer {
  id: string;
  status: number;
  body?: { protocolId?: string; error?: { message?: string; code?: string; details?: Partial<ErrorDetail>[] } };
}

const protocolPart = 'protocol';
const group = 'save';

interface ProtocolChanges extends StepChanges {
  /** Undefined for a new protocol. */
  protocolId: string | undefined;
  protocol: FormValues<typeof protocols>;
}

function partsOf({ protocolId, protocol, removed, written }: ProtocolChanges): SavePart[] {
  const parent = protocolId === undefined ? { 'protocol@odata.bind': `$${protocolPart}` } : { protocolId };
  const rows = `/v1/${protocols.name}`;
  const steps = `/v1/${protocolActions.name}`;
  const ofProtocol: SavePart[] =
    protocolId === undefined
      ? [{ id: protocolPart, method: 'PUT', url: rows, body: protocol }]
      : Object.keys(protocol).length > 0
        ? [{ id: protocolPart, method: 'POST', url: `${rows}/${protocolId}`, body: protocol }]
        : [];
  return [
    ...ofProtocol,
    ...removed.map((key): SavePart => ({ id: key, method: 'DELETE', url: `${steps}/${key}` })),
    ...written.map(({ key, isNew, values }): SavePart =>
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
      const parts = partsOf(changes);
      const { responses } = await createOnce(JSON.stringify(parts), (key) =>
        callJson<{ responses: readonly PartAnswer[] }>('/v1/$batch', {
          method: 'POST',
          body: {
            requests: parts.map((part) => ({
              ...part,
              atomicityGroup: group,
              ...(part.method === 'PUT' ? { headers: { 'idempotency-key': `${key}.${part.id}` } } : {}),
            })),
          },
        }),
      );
      const failed = responses.find(({ status }) => status >= 400);
      if (failed) throw new SaveRefused(failed.id === protocolPart ? undefined : failed.id, failed.status, failed.body?.error);
      return responses.find(({ id }) => id === protocolPart)?.body?.protocolId;
    },
    onSuccess: () => Promise.all([protocols, protocolActions].map(({ name }) => client.invalidateQueries({ queryKey: [name] }))),
  });
}
