import { useId, useState, type MouseEvent } from 'react';
import { Button, IconButton } from '../button.tsx';
import { nearing, PopupMenu } from './floating.tsx';
import type { IconName } from '../icon.tsx';
import type { MenuEntry } from './floating-props.ts';

interface MenuButtonProps {
  label: string;
  /** The entries; undefined while they load. The menu opens when all have loaded, so that no entry moves under the pointer. */
  entries: readonly MenuEntry[] | undefined;
  look?: 'plain' | 'primary' | 'quiet';
  small?: boolean;
  /** Shows only this icon; `label` is read aloud. */
  icon?: IconName;
  /** Whether this is the page's create button, which the key `c` presses. */
  isCreate?: boolean;
}

/** A button that opens a menu. */
export function MenuButton({ label, entries, look = 'plain', small = false, icon, isCreate }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const shared = {
    look,
    small,
    ...nearing,
    ...(isCreate ? { 'data-create': '' } : {}),
    'aria-haspopup': 'menu' as const,
    'aria-expanded': anchor !== null,
    ...(anchor ? { 'aria-controls': id } : {}),
    onClick: (event: MouseEvent<HTMLElement>) => {
      event.stopPropagation();
      setAnchor(event.currentTarget);
    },
  };
  return (
    <>
      {icon ? (
        <IconButton icon={icon} label={label} {...shared} />
      ) : (
        <Button trailing="down" {...shared}>
          {label}
        </Button>
      )}
      {anchor && entries && <PopupMenu id={id} anchor={anchor} label={label} entries={entries} onClose={() => setAnchor(null)} />}
    </>
  );
}
