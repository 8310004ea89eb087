import { Fragment } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/floating.tsx';
import { homeKey, menu, visibleMenu } from '../navigation.ts';

type Line = readonly [string, readonly string[]];

const groups: readonly { title: string; keys: readonly Line[] }[] = [
  {
    title: en.keys.anywhere,
    keys: [
      [en.keys.palette, ['Ctrl', 'K']],
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

/** The screens of this person, each by `g` and its letter. */
function useScreenKeys(): readonly Line[] {
  const { data: permissions } = usePermissions();
  const items = visibleMenu(menu, permissions ?? new Set()).flatMap((group) => group.items);
  return [[en.shell.home, ['g', homeKey]], ...items.map((item): Line => [item.label, ['g', item.key]])];
}

export function KeysSheet({ onClose }: { onClose: () => void }) {
  const screens = { title: en.keys.screens, keys: useScreenKeys() };
  return (
    <Dialog
      title={en.keys.title}
      width="md"
      onClose={onClose}
      actions={
        <Button look="primary" autoFocus onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {/* Scrolls on a phone: the keyboard gets there too. */}
      <div className="keys-sheet" tabIndex={0} role="group" aria-label={en.keys.title}>
        {[...groups, screens].map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3>{group.title}</h3>
            <dl>
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
          </section>
        ))}
      </div>
    </Dialog>
  );
}
