import { en } from '@cloudfit/contract/messages/en.ts';
import { toast } from './toasts.tsx';

/** Puts a text on the clipboard and says so. */
export async function copyText(text: string, done: string = en.copy.done): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.info(done);
  } catch {
    toast.warning(en.copy.failed);
  }
}
