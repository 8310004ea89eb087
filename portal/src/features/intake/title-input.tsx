import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { SuggestedArticles } from '../../entities/articles/suggested-articles.tsx';
import { fetchPage } from '../../rows/use-rows.ts';
import type { InputProps } from '../../forms/form-types.ts';
import type { IntakeDeclaration } from './intake-declaration.ts';

const lookedAt = 50;
const maxOffered = 8;

/** Titles of the tenant's latest units, for calls about a known topic. */
function useQuickTitles(tenantId: unknown, max: number): readonly string[] {
  const { data } = useQuery({
    queryKey: ['intake', 'titles', tenantId],
    queryFn: ({ signal }) =>
      fetchPage(workUnits, { filter: eq(workUnits, 'tenantId', String(tenantId)), orderBy: 'created desc', top: lookedAt }, signal),
    enabled: typeof tenantId === 'string' && tenantId !== '',
    staleTime: 60_000,
  });
  const titles = (data?.rows ?? []).filter((row) => !row.isSpamCall && row.title.length <= max).map((row) => row.title);
  return [...new Set(titles)].slice(0, maxOffered);
}

/** A short title; the browser suggests the tenant's latest titles, and articles that may help stand below. */
export function TitleInput({ field, value, onChange, onBlur, disabled, aria, values }: InputProps<IntakeDeclaration>) {
  const list = useId();
  const titles = useQuickTitles(values.tenantId, field.max ?? 0);
  return (
    <>
      <input
        className="input"
        type="text"
        list={list}
        autoComplete="off"
        {...aria}
        value={String(value ?? '')}
        maxLength={field.max}
        readOnly={disabled}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {titles.map((title) => (
          <option key={title} value={title} />
        ))}
      </datalist>
      <SuggestedArticles tenantId={values.tenantId} title={value} />
    </>
  );
}
