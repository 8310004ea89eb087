import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from '../../../components/button.tsx';
import { copyText } from '../../../components/copy.ts';

/** Puts the unit's own address on the clipboard. */
export function CopyLink({ id }: { id: number }) {
  return (
    <IconButton
      small
      icon="link"
      label={en.common.copyLink}
      onClick={() => void copyText(`${window.location.origin}/workunitsv2?workUnitId=${id}`)}
    />
  );
}
