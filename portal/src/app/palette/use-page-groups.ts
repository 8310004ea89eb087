/** What the page offers for its rows, as groups of the palette; after words such as `assign to`, the choices of that command. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDebounced } from '../../hooks/use-debounced.ts';
import type { CommandSet, PageCommand } from '../../hooks/page-commands.ts';
import { bestMatches } from './match.ts';
import type { Command, CommandGroup } from './command.ts';

const debounceMs = 250;
const minLetters = 2;

/** The command whose choices the text asks for, with the text after its words; `assign mara` is the same as `assign to mara`. */
function choiceFor(commands: readonly PageCommand[], text: string): { command: PageCommand; rest: string } | undefined {
  for (const command of commands) {
    const [first = '', ...others] = command.choices?.after.toLowerCase().split(' ') ?? [];
    const words = text.trimStart().split(/\s+/);
    if (first === '' || words[0]?.toLowerCase() !== first || words.length < 2) continue;
    const begins = others.every((word, at) => words[at + 1]?.toLowerCase() === word);
    return {
      command,
      rest: words
        .slice(1 + (begins ? others.length : 0))
        .join(' ')
        .trim(),
    };
  }
  return undefined;
}

const commandOf = (set: CommandSet, { id, label, icon, words, key, choices, run }: PageCommand): Command => ({
  id: `page-${set.title}-${id}`,
  label,
  icon,
  words,
  ...(key === undefined ? {} : { keys: [key] }),
  ...(choices ? { typeOn: `${choices.after} ` } : {}),
  run,
});

export function usePageGroups(sets: readonly CommandSet[], text: string, textOf: (command: PageCommand) => string) {
  const typed = text.trim();
  const request = choiceFor(
    sets.flatMap(({ commands }) => commands),
    text,
  );
  const settled = useDebounced(request?.rest ?? '', debounceMs);
  const isAsking = request !== undefined && request.rest.length >= minLetters;
  const choices = useQuery({
    queryKey: ['pageChoices', request?.command.id, settled],
    queryFn: async ({ signal }) => (await request?.command.choices?.search(settled, signal)) ?? [],
    enabled: isAsking && settled.length >= minLetters,
    placeholderData: keepPreviousData,
    meta: { live: false },
  });
  const groups = sets.map((set): CommandGroup => {
    const isHere = isAsking && set.commands.includes(request.command);
    const offered = set.commands.filter(({ onlyTyped }) => typed !== '' || onlyTyped !== true);
    const shown = isHere ? (choices.data ?? []) : bestMatches(typed, offered, textOf);
    return { title: set.title, commands: shown.map((command) => commandOf(set, command)) };
  });
  return { groups, isSearching: isAsking && (settled !== request.rest || choices.isFetching) };
}
