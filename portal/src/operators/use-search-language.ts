/** The operators of a list as the language of its search field. Their code loads with the first typed letter. */
import { useMemo, useState } from 'react';
import { operatorTexts as t } from '@cloudfit/contract/messages/operators.en.ts';
import type { SearchLanguage } from '../components/search-box.tsx';
import type { Listing } from '../filters/listing.ts';
import type { ListState } from '../filters/list-state.ts';
import type { ChangeList } from '../filters/use-list-state.ts';
import { toastFailure } from '../hooks/toast-failure.ts';
import { useChoices } from '../rows/choices.ts';
import { useScope } from '../rows/use-scope.ts';
import type * as Completions from './completions.ts';
import { hasOperators } from './read-search.ts';

export function useSearchLanguage(listing: Listing, state: ListState, change: ChangeList): SearchLanguage {
  const [text, setText] = useState('');
  const [completing, setCompleting] = useState<typeof Completions>();
  const { user } = useScope();
  const typed = completing?.valueBeingTyped(listing, text);
  const ref = typed?.operator.kind === 'reference' ? typed.operator.field?.ref : undefined;
  const { choices } = useChoices(ref ?? 'tenants', { search: typed?.value ?? '', enabled: ref !== undefined });
  const completions = useMemo(
    () => completing?.completionsOf(listing, text, ref === undefined ? [] : choices.map(({ label }) => label)) ?? [],
    [choices, completing, listing, ref, text],
  );
  const onType = (next: string) => {
    setText(next);
    if (!completing) void import('./completions.ts').then((code) => setCompleting(code));
  };
  const run = async (whole: string) => {
    try {
      const { applyOperators } = await import('./apply-operators.ts');
      const applied = await applyOperators(listing, whole, state, user);
      if ('problem' in applied) return applied;
      change(applied);
      return { rest: applied.search };
    } catch (error) {
      toastFailure(error);
      return { rest: whole };
    }
  };
  return { label: t.completions, isIn: hasOperators, run, completions, onType };
}
