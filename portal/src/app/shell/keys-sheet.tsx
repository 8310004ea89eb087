import { Fragment } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/floating.tsx';

const groups: readonly { title: string; keys: readonly (readonly [string, readonly string[]])[] }[] = [
  {
    title: en.keys.anywhere,
    keys: [
      [en.keys.help, ['?']],
      [en.keys.search, ['/']],
      [en.keys.create, ['c']],
      [en.keys.theme, ['t']],
    ],
  },
  {
    title: en.keys.lists,
    keys: [
      [en.keys.move, ['↑', '↓']],
      [en.keys.open, ['Enter']],
      [en.keys.select, ['x']],
    ],
  },
  {
    title: en.keys.panels,
    keys: [
      [en.keys.close, ['Esc']],
      [en.keys.save, ['Ctrl', 'Enter']],
    ],
  },
];

export function KeysSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title={en.keys.title}
      width="xs"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {groups.map((group) => (
        <Fragment key={group.title}>
          <h3>{group.title}</h3>
          <dl className="keys-sheet">
            {group.keys.map(([what, keys]) => (
              <Fragment key={what}>
                <dt>{what}</dt>
                <dd>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </Fragment>
            ))}
          </dl>
        </Fragment>
      ))}
    </Dialog>
  );
}
