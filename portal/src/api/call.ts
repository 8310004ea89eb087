/** Declared calls: the address and the body follow from the declaration, and so do the types of input and answer. */
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import type { AnyCall, CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { sentBy } from '@cloudfit/contract/client/sent-call.ts';
import { callJson, request, type CallOptions } from './client.ts';
import { readTogether } from './read-together.ts';

/** What the code that calls decides, beside the input. */
export interface SendOptions extends Omit<CallOptions, 'method' | 'body' | 'contentType'> {
  /** Whether a read goes in one request with the others of this moment. */
  together?: boolean | undefined;
}

/** Sends a declared call and returns its answer. Throws `RequestFailed`. */
export function call<C extends AnyCall>(to: C, input: CallInput<C>, { together, ...options }: SendOptions = {}): Promise<CallOutput<C>> {
  const { path, ...sent } = sentBy(to, input);
  return (together ? readTogether : callJson)<CallOutput<C>>(path, { ...options, ...sent });
}

/** Sends a declared call whose answer is no JSON: a file, an image, a text. */
export function callFile<C extends AnyCall>(to: C, input: CallInput<C>, options?: SendOptions): Promise<Response> {
  const { path, ...sent } = sentBy(to, input);
  return request(path, { ...options, ...sent });
}

interface ReadOptions {
  /** The entity whose changes refresh the answer; with the id of its row where each row has queries of its own. */
  refreshedBy?: string | readonly string[];
  /** False shows the shell's message at a 403. */
  quiet?: boolean;
  /** Whether it goes in one request with the others of this moment. */
  together?: boolean;
}

/** The query key of a read, and its fetch function. */
export function callQuery<C extends AnyCall>(to: C, input: CallInput<C>, { refreshedBy = [], quiet = true, together }: ReadOptions = {}) {
  return {
    queryKey: [...[refreshedBy].flat(), to, input] as readonly unknown[],
    queryFn: ({ signal }: { signal: AbortSignal }) => call(to, input, { signal, quiet, together }),
  };
}

type UseCallOptions<C> = ReadOptions & Omit<UseQueryOptions<CallOutput<C>>, 'queryKey' | 'queryFn'>;

/** Reads by a declared call, and again when its input changes, or the entity that `refreshedBy` names. */
export function useCall<C extends AnyCall>(to: C, input: CallInput<C>, { refreshedBy, quiet, together, ...query }: UseCallOptions<C> = {}) {
  return useQuery<CallOutput<C>>({
    ...callQuery(to, input, {
      ...(refreshedBy === undefined ? {} : { refreshedBy }),
      ...(quiet === undefined ? {} : { quiet }),
      ...(together ? { together } : {}),
    }),
    ...query,
  });
}
