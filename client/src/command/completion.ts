/** `cloudfit completion SHELL`: a script by which a shell completes names, options and choices. */
import { UsageError, type CommandPart } from './command.ts';

/** What may come next after the typed words, the last of which is not finished. */
export function completionsOf(parts: readonly CommandPart[], words: readonly string[]): string[] {
  const [last = '', before = [...words].slice(0, -1)] = [words.at(-1)];
  const typed = before.filter((word) => !word.startsWith('-'));
  const part = parts.find(({ name }) => name === typed.slice(0, name.split(' ').length).join(' '));
  const option = part?.options?.[before.at(-1)?.replace(/^--/, '') ?? ''];
  const names = parts.map(({ name }) => name.split(' ')).filter((name) => typed.every((word, n) => name[n] === word));
  const offered = option?.choices ?? (part ? [...Object.keys(part.options ?? {}), 'json', 'help'].map((name) => `--${name}`) : []);
  const next = part ? offered : names.flatMap((name) => name[typed.length] ?? []);
  return [...new Set(next)].filter((word) => word.startsWith(last)).toSorted();
}

const scripts: Readonly<Record<string, string>> = {
  bash: `_cloudfit() {
  local IFS=$'\\n'
  COMPREPLY=($(cloudfit completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -F _cloudfit cloudfit
`,
  zsh: `#compdef cloudfit
_cloudfit() {
  local -a offered
  offered=("\${(@f)$(cloudfit completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a offered
}
compdef _cloudfit cloudfit
`,
  fish: `function __cloudfit
  set -l words (commandline -opc) (commandline -ct)
  cloudfit completion words -- $words[2..] 2>/dev/null
end
complete -c cloudfit -f -a '(__cloudfit)'
`,
};

/** The part that writes the scripts, and answers them: `parts` are all others. */
export const completionPart = (parts: readonly CommandPart[]): CommandPart => ({
  name: 'completion',
  usage: Object.keys(scripts).join(' | '),
  about: 'Write the completion of a shell; for bash: eval "$(cloudfit completion bash)"',
  run: ({ words: [shell = '', ...typed], surroundings: { out } }) => {
    if (shell === 'words') {
      for (const word of completionsOf(parts, typed)) out(`${word}\n`);
      return Promise.resolve();
    }
    const script = scripts[shell];
    if (script === undefined) throw new UsageError(`Name the shell: ${Object.keys(scripts).join(', ')}`);
    out(script);
    return Promise.resolve();
  },
});
