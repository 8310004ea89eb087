import { failureText, RequestFailed } from '../api/client.ts';
import { toast, type ToastOptions } from '../components/toasts.tsx';

/** Shows a failure once: the shell has already shown a 403 (ERR-016). */
export function toastFailure(error: unknown, text: string = failureText(error), options?: ToastOptions): void {
  if (!(error instanceof RequestFailed && error.isTold)) toast.error(text, options);
}
