import { Fragment } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { keysTexts as t } from '@cloudfit/contract/messages/keys.en.ts';
import { usePermissions } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { toastKey } from '../../components/toasts.tsx';
import { homeKey, menu, visibleMenu } from '../navigation.ts';

type Line = readonly [string, readonly string[]];

const groups: readonly { title: string; keys: readonly Line[] }[] = [
  {
    title: t.anywhere,
    keys: [
      [t.palette, [t.ctrl, 'K']],
      [t.help, ['?']],
      [t.search, ['/']],
      [t.create, ['c']],
      [t.theme, ['t']],
      [t.message, [toastKey]],
    ],
  },
  {
    title: t.lists,
    keys: [
      [t.move, ['↑', '↓']],
      [t.open, [t.enter]],
      [t.select, ['x']],
      [t.selectAll, [t.ctrl, 'A']],
      [t.act, ['a']],
    ],
  },
  {
    title: t.units,
    keys: [
      [t.acknowledge, ['a']],
      [t.assignToMe, ['m']],
      [t.severity, ['s']],
      [t.resolve, ['r']],
      [t.note, ['n']],
      [t.watch, ['w']],
      [t.snooze, ['z']],
      [t.read, ['e']],
      [t.step, ['j', 'k']],
    ],
  },
  {
    title: t.panels,
    keys: [
      [t.close, ['Esc']],
      [t.save, [t.ctrl, t.enter]],
    ],
  },
];

/** The shortcuts of the screens that this person sees: `g` and a letter. */
function useScreenKeys(): readonly Line[] {
  const { data: permissions } = usePermissions();
  const items = visibleMenu(menu, permissions ?? new Set()).flatMap((group) => group.items);
  return [[en.shell.home, ['g', homeKey]], ...items.flatMap((item): Line[] => (item.key ? [[item.label, ['g', item.key]]] : []))];
}

export function KeysSheet({ onClose }: { onClose: () => void }) {
  const screens = { title: t.screens, keys: useScreenKeys() };
  return (
    <Dialog
      title={t.title}
      width="md"
      onClose={onClose}
      actions={
        <Button look="primary" autoFocus onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {/* Scrolls on a phone, so it must be focusable for the keyboard. */}
      <div className="keys-sheet" tabIndex={0} role="group" aria-label={t.title}>
        {[...groups, screens].map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.keys.map(([what, keys]) => (
                <Fragment key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.map((key, nth) => (
                      <kbd key={`${nth} ${key}`}>{key}</kbd>
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
