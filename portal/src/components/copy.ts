import { en } from '@cloudfit/contract/messages/en.ts';
import { toast } from './toasts.tsx';

/** Copies a text to the clipboard and shows a message. */
export async function copyText(text: string, done: string = en.copy.done): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.info(done);
  } catch {
    toast.warning(en.copy.failed);
  }
}
