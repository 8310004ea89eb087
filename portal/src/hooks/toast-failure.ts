import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../api/client.ts';
import { toast, type ToastOptions } from '../components/toasts.tsx';

/**
 * Shows a failure once: the shell has already shown a 403 (ERR-016). That a row was created by an earlier try is shown instead of `text`,
 * which asks to try again.
 */
export function toastFailure(error: unknown, text: string = failureText(error), options?: ToastOptions): void {
  const isMade = failureText(error) === en.failure.sentBefore;
  if (!(error instanceof RequestFailed && error.isTold)) toast.error(isMade ? en.failure.sentBefore : text, options);
}
