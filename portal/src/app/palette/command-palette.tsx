/** The command palette: a combobox over everything the person may open, create or switch. */
import { useEffectEvent, useId, useLayoutEffect, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { paletteTexts as t } from '@cloudfit/contract/messages/palette.en.ts';
import { TopDialog } from '../../components/overlay/floating.tsx';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/states.tsx';
import { pageCommands } from '../../hooks/page-commands.ts';
import { takeTypedAhead } from '../shell/typed-ahead.ts';
import type { OverlayName } from '../shell/use-overlay.ts';
import type { Command } from './command.ts';
import { useCommands } from './use-commands.ts';
import './palette.css';

interface PaletteProps {
  onClose: () => void;
  onOverlay: (name: OverlayName) => void;
}

interface OptionProps {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onRun: (event: MouseEvent) => void;
}

function Option({ id, command, isActive, onPoint, onRun }: OptionProps) {
  // The input handles the keys, so a click on the list must not take the focus from it.
  const pointer = { onMouseMove: onPoint, onMouseDown: (event: MouseEvent) => event.preventDefault(), onClick: onRun };
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="command"
      ref={isActive ? (element) => element?.scrollIntoView?.({ block: 'nearest' }) : undefined}
      {...pointer}
    >
      <Icon name={command.icon} />
      <span className="ellipsis grow">{command.label}</span>
      {command.hint && <small className="ellipsis">{command.hint}</small>}
      {/* A sequence may have a key twice: g g. */}
      {command.keys?.map((key, nth) => (
        <kbd key={`${nth} ${key}`} aria-hidden>
          {key}
        </kbd>
      ))}
    </div>
  );
}

function Foot() {
  const keys = [
    ['↑↓', t.choose],
    ['↵', t.run],
    ['Esc', t.close],
  ] as const;
  return (
    <div className="palette-foot" aria-hidden>
      {keys.map(([key, what]) => (
        <span key={key}>
          <kbd>{key}</kbd> {what}
        </span>
      ))}
    </div>
  );
}

/** Inserts what was typed before the input existed. Rendered beside the input, because the dialog's code may load last. */
function TypedBefore({ onText }: { onText: (text: string) => void }) {
  const take = useEffectEvent(() => {
    const typed = takeTypedAhead();
    if (typed) onText(typed);
  });
  useLayoutEffect(() => take(), []);
  return null;
}

export function CommandPalette({ onClose, onOverlay }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  // What the page had when the palette opened: the focus is in the palette from then on.
  const [sets] = useState(pageCommands);
  const { groups, isSearching } = useCommands(text, onOverlay, sets);
  const all = groups.flatMap((group) => group.commands);
  const at = Math.max(
    0,
    all.findIndex((command) => command.id === chosen),
  );
  const active = all[at];
  const optionId = (command: Command) => `${id}-${command.id}`;

  const run = (command: Command, elsewhere: boolean) => {
    if (elsewhere && command.to) {
      window.open(command.to, '_blank', 'noopener');
      return;
    }
    if (command.typeOn !== undefined) {
      setText(command.typeOn);
      setChosen(undefined);
      return;
    }
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = all.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at === 0 ? last : at - 1,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setChosen(all[to]?.id);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (active) run(active, event.ctrlKey || event.metaKey);
    }
  };

  return (
    <TopDialog label={t.title} onClose={onClose}>
      <div className="palette">
        <TypedBefore onText={setText} />
        <div className="palette-line">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label={t.title}
            aria-expanded={all.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            {...(active ? { 'aria-activedescendant': optionId(active) } : {})}
            placeholder={t.placeholder}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setChosen(undefined);
            }}
            onKeyDown={onKeyDown}
          />
          {isSearching && <Progress label={t.searching} />}
        </div>
        <div className="palette-list" id={`${id}-list`} role="listbox" aria-label={t.title}>
          {groups.map((group) => (
            <div key={group.title} role="group" aria-label={group.title}>
              <div className="group-title" aria-hidden>
                {group.title}
              </div>
              {group.commands.map((command) => (
                <Option
                  key={command.id}
                  id={optionId(command)}
                  command={command}
                  isActive={command === active}
                  onPoint={() => setChosen(command.id)}
                  onRun={(event) => run(command, event.ctrlKey || event.metaKey)}
                />
              ))}
            </div>
          ))}
        </div>
        {all.length === 0 && !isSearching && (
          <p className="palette-none">
            <strong>{t.none(text.trim())}</strong>
            {t.noneHint}
          </p>
        )}
        <span className="visually-hidden" role="status">
          {isSearching ? '' : t.results(all.length)}
        </span>
        <Foot />
      </div>
    </TopDialog>
  );
}
