/** Messages of the API as the portal shows them; they are in English on the wire. */
import type { ErrorDetail } from '../errors.ts';

export type ShownError = Partial<ErrorDetail> & { details?: readonly Partial<ErrorDetail>[] };

export const shownError = (error: ShownError): Promise<ShownError> => Promise.resolve(error);
