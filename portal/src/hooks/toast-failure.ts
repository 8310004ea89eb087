import { failureText, RequestFailed } from '../api/client.ts';
import { toast, type ToastOptions } from '../components/toasts.tsx';

/** Says that something failed, once: what is forbidden, the shell has said by itself (ERR-016). */
export function toastFailure(error: unknown, text: string = failureText(error), options?: ToastOptions): void {
  if (!(error instanceof RequestFailed && error.isTold)) toast.error(text, options);
}
