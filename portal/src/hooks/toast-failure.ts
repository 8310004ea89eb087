import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../api/client.ts';
import { toast, type ToastOptions } from '../components/toasts.tsx';

/** What failed, and why the server refused it, in place of a request to try again, which would fail again. */
export function withReason(error: unknown, text: string): string {
  const isRefused = error instanceof RequestFailed && error.status >= 400 && error.status < 500 && error.message !== text;
  return isRefused ? `${text.replace(/ (Please|Bitte) [^.]*\.$/, '')} ${error.message}` : text;
}

/**
 * Shows a failure once: the shell has already shown a 403 (ERR-016). That a row was created by an earlier try is shown instead of `text`,
 * which asks to try again.
 */
export function toastFailure(error: unknown, text: string = failureText(error), options?: ToastOptions): void {
  const isMade = failureText(error) === en.failure.sentBefore;
  if (!(error instanceof RequestFailed && error.isTold)) toast.error(isMade ? en.failure.sentBefore : text, options);
}
