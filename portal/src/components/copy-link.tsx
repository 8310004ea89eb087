import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from './button.tsx';
import { copyText } from './copy.ts';

/** A button that copies the address of the page to the clipboard. */
export function CopyLink() {
  return (
    <Button small icon="link" onClick={() => void copyText(window.location.href)}>
      {en.common.copyLink}
    </Button>
  );
}
