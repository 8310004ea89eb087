import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../api/client.ts';
import { ErrorState } from '../components/states.tsx';

interface LoadFailureProps {
  /** `refetch` of several queries repeats them all. */
  query: { error: unknown; refetch: () => unknown };
  /** The title; by default the text of the server. */
  failed?: string;
  /** The title when the row does not exist, or the person may not see it. */
  missing?: string;
  /** The text when the person may not read this. */
  denied?: string;
  /** Whether it is a part of a screen; otherwise a whole one. */
  small?: boolean;
}

const isStatus = (error: unknown, status: number): boolean => error instanceof RequestFailed && error.status === status;

/** Whether reading failed because the person may not: rows that were loaded before are then hidden. */
export const isDenied = (error: unknown): boolean => isStatus(error, 403);

/** Why something could not be read. It offers to try again, unless that would change nothing. */
export function LoadFailure({ query: { error, refetch }, failed, missing, denied, small = false }: LoadFailureProps) {
  const final =
    missing && isStatus(error, 404) ? { title: missing } : denied && isDenied(error) && { title: en.auth.deniedTitle, text: denied };
  const text = failureText(error);
  return <ErrorState small={small} {...(final || { title: failed ?? text, text, onRetry: () => void refetch() })} />;
}
