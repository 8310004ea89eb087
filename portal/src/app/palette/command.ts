import type { IconName } from '../../components/icon.tsx';

export interface Command {
  id: string;
  label: string;
  /** Other words by which the palette finds the command. */
  words?: string | undefined;
  icon: IconName;
  hint?: string | undefined;
  keys?: readonly string[];
  /** The address that the command opens, for opening it in another tab. */
  to?: string;
  /** The palette stays open with this text, after which it offers choices. */
  typeOn?: string;
  run: () => void;
}

export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}
